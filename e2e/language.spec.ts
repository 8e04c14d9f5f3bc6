/**
 * Every page of the menu, in both languages, on a desk and on a phone: in its own language, inside
 * its width, without a failed call, and without anything that axe finds, light and dark.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MENU } from '../apps/console/src/pages/routes.ts'
import { OF_COLORS, violations } from './axe.ts'
import { goWithin } from './go-within.ts'
import { type Installation, openContext, signIn, startInstallation } from './installation.ts'
import { misfits } from './misfits.ts'
import { openPageReader } from './page-reader.ts'
import { addressIn, pagesOf } from './pages.ts'
import { picturesIn } from './picture.ts'
import { untilQuiet, watchCalls } from './quiet.ts'
import { rowsOfSettings } from './rows-of-settings.ts'
import { dataIn, wordsShown } from './words.ts'

const PASSWORD = 'Guarded-door-1'
const OTHER = 'admin-too'
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 320, height: 640 }
/** A desk at 200 %. */
const ZOOMED = { width: 640, height: 400 }
const picture = picturesIn('pages')

/** Pages with an id that are read in Chinese as well, where each is loaded by its address. */
const DETAILS_IN_CHINESE =
  /^(User|UserGroup|Asset|AssetMoreInformation|Domain|Gateway|SystemUser|Platform|Label|AssetPermission|Session|TicketFlow|Flow|AccessReview)(Detail|Update|Edit)$/

/** Where the rows of pages are that no link of a list leads to, by the page's name without its last word. */
const LISTS: Readonly<Record<string, string>> = {
  AssetMoreInformation: '/api/v1/assets/assets/',
  Gateway: '/api/v1/assets/gateways/',
  Label: '/api/v1/assets/labels/',
  TicketFlow: '/api/v1/tickets/flows/',
  Flow: '/api/v1/tickets/flows/',
  BreakGlassBundle: '/api/v1/accounts/break-glass-bundles/',
  AssetChangeAuthPlanExecution: '/api/v1/xpack/change-auth-plan/plan-execution/',
  AppChangeAuthPlan: '/api/v1/xpack/change-auth-plan/app-plan/',
  GatherUserTask: '/api/v1/xpack/gathered-user/tasks/',
  AdhocExecution: '/api/v1/ops/adhoc-executions/',
  CloudAccount: '/api/v1/xpack/cloud/accounts/',
  ScimProvider: '/api/v1/scim/providers/',
  TrustRule: '/api/v1/authentication/trust-rules/',
  ReplayStorage: '/api/v1/terminal/replay-storages/?type=s3',
  AccessReview: '/api/v1/reviews/access-reviews/?state=open',
  AccessReviewRecord: '/api/v1/reviews/access-reviews/?state=ended',
  ApplicationsTicket: '/api/v1/tickets/tickets/?type=apply_application',
}

/** Pages of rows that are within another one, which the address names. */
const WITHIN: Readonly<Record<string, { key: string; path: string; list?: (whole: string) => string }>> = {
  Gateway: { key: 'domain', path: '/api/v1/assets/domains/' },
  UserLoginACL: {
    key: 'user',
    path: '/api/v1/users/users/?username=admin',
    list: (user) => `/api/v1/acls/login-acls/?user=${user}`,
  },
  CommandFilterRules: {
    key: 'filter',
    path: '/api/v1/assets/cmd-filters/',
    list: (filter) => `/api/v1/assets/cmd-filters/${filter}/rules/`,
  },
}

/** Neither the demo nor what is made below has anything that these would show, or that leads to it. */
const NONE_IN_DEMO: readonly string[] = [
  'AccountBackupExecutionDetail',
  'AppChangeAuthPlanExecutionDetail',
  'CommandStorageUpdate',
  'CommandConfirmDetail',
  'TicketDetail',
  // Asks a cloud that is not there.
  'SyncInstanceTaskUpdate',
  // Its task is started below.
  'CeleryTaskLog',
  'TaskLog',
]

let installation: Installation
let browser: Browser
/** The question of a program that a person may connect as their agent. */
let asking: string

beforeAll(async () => {
  ;[installation, browser] = await Promise.all([
    startInstallation({ arguments: ['--demo'], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    openPageReader(),
  ])
  await makeRows()
})

afterAll(async () => {
  await browser?.close()
  await installation?.stop()
})

// A page that comes on the desk in one language and is narrowed comes on the phone in the other
// and is widened: both ways a page comes to its width. In Chinese each page is loaded by its
// address, in English it is come to within the console: both ways a page is opened. Each language
// has a person of its own: what somebody chose last (language, page switch) is kept with the
// person.
test.concurrent.each([
  { language: 'en' as const, first: DESK, username: 'admin' },
  { language: 'zh-hans' as const, first: PHONE, username: OTHER },
])(
  '[A1.19 B9.30 A2.07 A2.67] $language: every page is in its language, fits its width, has no failed call and no accessibility violation',
  async ({ language, first, username }) => {
    const { page, faults } = await openContext(browser, installation.url, language)
    // Tabs of pages visited before would show names that this page's answers do not hold.
    await page.addInitScript(() => sessionStorage.clear())
    let size = first
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: language === 'en' ? 'light' : 'dark', reducedMotion: 'reduce' })
    const calls = watchCalls(page)
    const found: string[] = []
    /** Pages that those before have led to. */
    const links = new Set<string>()
    const visit = async (name: string, address: string, sign = 'main h1') => {
      calls.reset()
      const here = new URL(page.url()).pathname
      // The page on which somebody comes in is there already: it is loaded once more.
      const isWithin = language === 'en' && address.startsWith('/ui/') && here.startsWith('/ui/') && here !== address
      const shown = isWithin ? await goWithin(page, address, sign) : sign
      if (!isWithin) await page.goto(installation.url + address)
      for (const next of [size, size === DESK ? PHONE : DESK]) {
        size = next
        await page.setViewportSize(size)
        await untilQuiet(page, calls, shown)
        await picture(page, `${name}-${language}-${size.width}`)
        found.push(...(await misfits(page)).map((misfit) => `${address} at ${size.width}: ${misfit}`))
        if (size !== DESK) continue
        found.push(...(await violations(page, address, language === 'en' ? {} : OF_COLORS)))
        if (language !== 'en') continue
        await page.setViewportSize(ZOOMED)
        await page.evaluate(() => new Promise(requestAnimationFrame))
        found.push(...(await misfits(page)).map((misfit) => `${address} at 200 %: ${misfit}`))
        await page.setViewportSize(size)
      }
      const addresses = await page
        .locator('a[href^="/ui/"]')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      for (const address of addresses) links.add(address.slice('/ui'.length))
      if (language !== 'en') {
        const english = await wordsShown(page, dataIn(calls.answers))
        if (english.length) found.push(`${address}: ${english.join(' | ')}`)
      }
      found.push(...calls.failed.map((call) => `${address}: ${call}`))
    }

    await visit('Login', '/core/auth/login/', '#username')
    await signIn(page, installation.url, username, PASSWORD)
    await page.waitForURL('**/ui/**')
    // The console goes on to its first page by itself.
    await untilQuiet(page, calls, 'main h1')
    const all = pagesOf([...MENU.admin, ...MENU.common])
    const missing: string[] = []
    for (const place of all) {
      const { name } = place
      if (NONE_IN_DEMO.includes(name)) continue
      if (place.path.includes(':id') && language !== 'en' && !DETAILS_IN_CHINESE.test(name)) continue
      const within = WITHIN[name.replace(/(Detail|Update|Edit|Create)$/, '')]
      const whole = within && (await firstId(page, within.path))
      const query = within ? `?${within.key}=${whole}` : name === 'ConnectAgent' ? asking : ''
      const list = within?.list?.(String(whole)) ?? LISTS[name.replace(/(Detail|Update|Edit)$/, '')]
      const path = list ? place.path.replace(':id', await firstId(page, list)) : addressIn(links, place, all)
      if (path) await visit(name, `/ui${path}${query}`)
      else missing.push(name)
    }
    expect(missing).toEqual([])
    await visit('NotFound', '/ui/nowhere')
    const task = await startTask(page, await firstId(page, '/api/v1/assets/assets/'))
    await visit('TaskLog', `/ui/ops/celery/task/${task}/log/`, 'pre')

    await page.setViewportSize(DESK)
    await page.goto(`${installation.url}/ui/`)
    await page.locator('.top-bar [aria-haspopup=menu]').last().click()
    await page.getByRole('menuitem', { name: /^(User page|用户页面)$/ }).click()
    await page.getByRole('heading', { name: /^(My assets|我的资产)$/ }).waitFor()
    await page.setViewportSize(size)
    for (const { name, path } of pagesOf(MENU.user)) if (!path.includes(':')) await visit(name, `/ui${path}`)
    await visit('WebTerminal', '/luna/', '.wt-body')
    await visit('FileManager', '/koko/elfinder/sftp/', '.fm-list')
    expect([...found, ...faults]).toEqual([])
  },
  // Some eighty pages, two minutes on a machine that does nothing else.
  900_000,
)

async function firstId(page: Page, list: string): Promise<string> {
  const { results } = await page.evaluate(
    async (path) => (await fetch(`${path}${path.includes('?') ? '&' : '?'}limit=1&offset=0`)).json(),
    list,
  )
  return results[0].id
}

/**
 * Rows that the demo lacks. Both administrators may use the machines of the company, so that the
 * pages of an ordinary person show some.
 */
async function makeRows(): Promise<void> {
  const call = async (path: string, token?: string, body?: unknown, method = body ? 'POST' : 'GET') => {
    const answer = await fetch(installation.url + path, {
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const { token, user } = await call('/api/v1/authentication/tokens/', undefined, {
    username: 'admin',
    password: PASSWORD,
  })
  const [nodes, systemUsers] = await Promise.all([
    call('/api/v1/assets/nodes/?key=1', token),
    call('/api/v1/assets/system-users/?protocol=ssh', token),
  ])
  const other = await call('/api/v1/users/users/', token, {
    name: 'Second administrator',
    username: OTHER,
    email: 'second@example.com',
    role: 'Admin',
    password_strategy: 'custom',
    password: PASSWORD,
    need_update_password: false,
  })
  const own = await call('/api/v1/authentication/tokens/', undefined, { username: OTHER, password: PASSWORD })
  await call('/api/v1/users/profile/', own.token, { is_first_login: false }, 'PATCH')
  await call('/api/v1/perms/asset-permissions/', token, {
    name: 'Everything for the administrators',
    users: [user.id, other.id],
    nodes: [nodes[0].id],
    system_users: systemUsers.map(({ id }: { id: string }) => id),
  })
  for (const [path, draft] of rowsOfSettings(user.id)) await call(path, token, draft)
  const set = (category: string, values: object) =>
    call(`/api/v1/settings/setting/?category=${category}`, token, values, 'PATCH')
  await set('basic', { SITE_URL: installation.url })
  await set('security', { SECURITY_AGENTS: 'everybody' })
  asking = await aProgram(call)
}

async function aProgram(
  call: (path: string, token: undefined, body: object) => Promise<{ client_id: string }>,
): Promise<string> {
  const redirect_uri = 'http://127.0.0.1:9/answer'
  const { client_id } = await call('/api/v1/authentication/oauth/register/', undefined, {
    client_name: 'Helper of the night shift',
    redirect_uris: [redirect_uri],
  })
  return `?${new URLSearchParams({
    ...{ client_id, redirect_uri, response_type: 'code', resource: `${installation.url}/api/mcp` },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  })}`
}

async function startTask(page: Page, asset: string): Promise<string> {
  return page.evaluate(async (id) => {
    const csrf = /jms_csrftoken=([^;]+)|csrftoken=([^;]+)/.exec(document.cookie)
    const answer = await fetch(`/api/v1/assets/assets/${id}/tasks/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrftoken': csrf?.[1] ?? csrf?.[2] ?? '' },
      body: JSON.stringify({ action: 'test' }),
    })
    return (await answer.json()).task
  }, asset)
}
