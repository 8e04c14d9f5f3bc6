/**
 * The main pages in both themes, judged by axe: contrast of WCAG AA, names, roles, landmarks; and
 * what only a browser can show of the shell.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MENU } from '../apps/console/src/pages/routes.ts'
import { OVER_THE_PAGE, violations } from './axe.ts'
import { goWithin } from './go-within.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { giveAccessToNewUser } from './keyboard.ts'
import { hiddenFocus, turned, watchMotion } from './look.ts'
import { apiOf } from './machine.ts'
import { emptyPages, failedPages } from './page-states.ts'
import { pagesOf } from './pages.ts'
import { picturesIn } from './picture.ts'

const PASSWORD = 'Guarded-door-1'
const picture = picturesIn('reach')

/** Tabs of the settings, as the address names them. */
const SETTING_TABS = [
  'Basic',
  'Email',
  'SysMessageSub',
  'SMS',
  'Security',
  'Auth',
  'Ldap',
  'Terminal',
  'Clean',
  'Other',
  'License',
]

let installation: Installation
let browser: Browser

beforeAll(async () => {
  ;[installation, browser] = await Promise.all([
    startInstallation({ arguments: ['--demo'], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    openBrowser(),
  ])
})

afterAll(async () => {
  await browser?.close()
  await installation?.stop()
})

type Language = 'en' | 'zh-hans'
const people = new Map<Language, Promise<{ context: BrowserContext; faults: string[] }>>()

/**
 * A window of an administrator who signed in once in this language: their browser keeps the
 * console's code. Its `faults` are those since the last window was opened.
 */
async function openWindow(language: Language): Promise<{ page: Page; faults: string[] }> {
  if (!people.has(language)) people.set(language, signInAs(language))
  const { context, faults } = (await people.get(language)) ?? {}
  if (!context || !faults) throw new Error('nobody is signed in')
  for (const old of context.pages()) await old.close()
  faults.length = 0
  return { page: await context.newPage(), faults }
}

async function signInAs(language: Language) {
  const { page, context, faults } = await openContext(browser, installation.url, language)
  await signIn(page, installation.url, 'admin', PASSWORD)
  // The sign-in page has a heading too.
  await page.waitForSelector('.main-menu')
  return { context, faults }
}

/** Opens a page of the console: within it where the window shows it already. */
async function open(page: Page, address: string, sign: string): Promise<void> {
  const isWithin = address.startsWith('/ui/') && page.url().startsWith(`${installation.url}/ui/`)
  const shown = isWithin ? await goWithin(page, address, sign) : sign
  if (!isWithin) await page.goto(installation.url + address)
  await page.waitForSelector(shown)
}

describe.each([
  { theme: 'light' as const, language: 'en' as const },
  { theme: 'dark' as const, language: 'zh-hans' as const },
])('$theme', ({ theme, language }) => {
  test('sign-in page and what one comes to without signing in have no accessibility violation', async () => {
    const { page, context, faults } = await openContext(browser, installation.url, language)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: string[] = []
    for (const [address, sign] of [
      ['/core/auth/login/', '#username'],
      ['/core/auth/password/forgot/', '.card input'],
      ['/core/auth/password/reset/?token=gone', '#new_password'],
      ['/core/common/flash-message/?message=gone', '.card [role=status]'],
    ] as const) {
      await page.goto(installation.url + address)
      await page.waitForSelector(sign)
      found.push(...(await violations(page, address)))
    }
    expect([...found, ...faults]).toEqual([])
    await context.close()
  })

  test('the people who reach an asset, the reach of a person and of a permission, as table and picture, and the reason of a refusal have no accessibility violation', async () => {
    const { page, faults } = await openWindow(language)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: string[] = []
    await open(page, '/ui/perms/asset-permissions', 'tbody td a')
    const { id, users, asset } = await page.evaluate(async () => {
      const read = async (path: string) => (await (await fetch(path)).json()).results
      const permissions = await read('/api/v1/perms/asset-permissions/?limit=20&is_valid=true')
      for (const permission of permissions) {
        const [target] = await read(`/api/v1/perms/access-targets/?permission_id=${permission.id}&limit=1`)
        const [person] = await read(`/api/v1/perms/access-people/?permission_id=${permission.id}&limit=1`)
        if (target && person) return { id: permission.id, users: person.id, asset: target.id }
      }
      throw new Error('nobody reaches anything')
    })
    const chinese = language !== 'en'
    for (const [name, address] of [
      ['asset', `/ui/assets/assets/${asset}?activeTab=AssetReach`],
      ['person', `/ui/users/users/${users}?activeTab=UserReach`],
      ['permission', `/ui/perms/asset-permissions/${id}?activeTab=AssetPermissionReach`],
    ] as const) {
      await open(page, address, '.resource-table tbody td a')
      found.push(...(await violations(page, `reach of ${name}`)))
      await picture(page, `${name}-table-${language}`)
      await page.getByRole('radio', { name: chinese ? '图' : 'Picture', exact: true }).check()
      // Pages that were left stay in the document.
      const drawn = page.locator('svg rect[data-stop]:visible')
      await drawn.first().waitFor()
      // From the person or the permission to the account, or to what it covers.
      const columns = await page.locator('svg text[class*=head]:visible').allTextContents()
      expect(columns.length).toBeGreaterThanOrEqual(3)
      expect(columns).toContain(chinese ? '授权' : 'Permission')
      // Keys and screen readers have the table.
      expect(await page.locator('[aria-hidden=true] svg rect[data-stop]:visible').count()).toBe(await drawn.count())
      found.push(...(await violations(page, `picture of ${name}`)))
      await picture(page, `${name}-picture-${language}`)
    }
    await open(page, `/ui/perms/own-access?asset=00000000-0000-4000-8000-000000000009`, 'main [role=status]')
    await page
      .getByText(chinese ? '您没有连接该资产的权限' : 'You have no permission to connect to this asset')
      .waitFor()
    const form = page.getByRole('link', { name: chinese ? '申请授权' : 'Request access' })
    expect(await form.getAttribute('href')).toContain('asset=00000000-0000-4000-8000-000000000009')
    found.push(...(await violations(page, 'own access')))
    await picture(page, `own-access-${language}`)
    expect([...found, ...faults]).toEqual([])
  })

  test('dashboard, lists, form, detail and palette have no accessibility violation', async () => {
    const { page, faults } = await openWindow(language)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: string[] = []
    await open(page, '/ui/dashboard', 'figure a')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme)
    found.push(...(await violations(page, 'dashboard')))
    for (const [name, address, sign] of [
      ['users', '/ui/users/users', 'tbody td a'],
      ['assets', '/ui/assets/assets', 'tbody td a'],
      ['form', '/ui/assets/assets/create', '.form [role=combobox]'],
      ['request', '/ui/tickets/tickets/request-asset-perm/create', '.form .tick-tree'],
      ['flows', '/ui/tickets/tickets?activeTab=TicketFlow', 'tbody td a'],
    ] as const) {
      await open(page, address, sign)
      found.push(...(await violations(page, name)))
    }
    await open(page, '/ui/perms/asset-permissions/create', '#users')
    for (const [field, line] of [
      ['users', 'option'],
      ['nodes', 'treeitem'],
    ] as const) {
      await page.locator(`#${field}`).click()
      await page.getByRole(line).first().waitFor()
      found.push(...(await violations(page, `open list of ${field}`)))
    }
    await open(page, '/ui/users/users', 'tbody td a')
    await page
      .locator('tbody tr')
      .nth(1)
      .getByRole('button', { name: /^(More|更多)/ })
      .click()
    await page.getByRole('menuitem', { name: /^(Delete|删除)$/ }).waitFor()
    found.push(...(await violations(page, 'row menu', OVER_THE_PAGE)))
    await page.getByRole('menuitem', { name: /^(Delete|删除)$/ }).click()
    await page.getByRole('alertdialog').waitFor()
    found.push(...(await violations(page, 'question', OVER_THE_PAGE)))
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.locator('tbody td a').first().click()
    await page.waitForSelector('.facts')
    await page.waitForSelector('.detail-side [role=combobox]')
    found.push(...(await violations(page, 'detail')))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Find pages|查找页面/ }).fill('web')
    await page.getByRole('option').first().waitFor()
    found.push(...(await violations(page, 'palette')))
    await page.keyboard.press('Escape')
    await page.locator('.top-bar [aria-haspopup=menu]').last().click()
    await page.getByRole('menuitem', { name: /^(Dark|深色)$/ }).waitFor()
    found.push(...(await violations(page, 'account menu', OVER_THE_PAGE)))
    expect([...found, ...faults]).toEqual([])
  })

  test('pages of the second factor, the profile and the web terminal have no accessibility violation', async () => {
    const { page, faults } = await openWindow(language)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: string[] = []
    const look = async (address: string, sign: string) => {
      await open(page, address, sign)
      found.push(...(await violations(page, address)))
    }
    await look('/core/auth/profile/mfa/', '.factors')
    await look('/core/auth/profile/otp/enable/start/', '.card input')
    await look('/ui/users/profile', '.facts')
    await look('/ui/users/profile?activeTab=ProfileUpdate', '.form .form-field')
    await look('/ui/users/profile?activeTab=PasswordUpdate', '.form .form-field')
    await look('/luna/', '[role=treeitem]')
    expect([...found, ...faults]).toEqual([])
  })

  test('every group of settings and every dialog in them has no accessibility violation', async () => {
    const { page, faults } = await openWindow(language)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: string[] = []
    for (const tab of SETTING_TABS) {
      await open(page, `/ui/settings?activeTab=${tab}`, '[role=tabpanel] :is(.form-field, .facts, .table tbody tr)')
      found.push(...(await violations(page, tab)))
      for (const button of await page.locator('.form-field.beside button').all()) {
        const name = await button.getAttribute('id')
        await button.click()
        await page.waitForSelector('[role=dialog] .form-field :is(input, textarea, button):enabled')
        found.push(...(await violations(page, `${tab} ${name}`, OVER_THE_PAGE)))
        await page.keyboard.press('Escape')
        await page.waitForSelector('[role=dialog]', { state: 'detached' })
      }
    }
    expect([...found, ...faults]).toEqual([])
  })
})

/** Pages of the console, but the start page, which the window shows before. */
const PAGES = pagesOf([...MENU.admin, ...MENU.common]).filter(({ name }) => name !== 'Dashboard')

test('a page whose data fails keeps its heading, says so and offers to try again, which then shows it; without an accessibility violation', async () => {
  const { page, faults } = await openWindow('en')
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await open(page, '/ui/dashboard', 'figure a')
  // Without a target in its address that page reads nothing.
  const reading = PAGES.filter(({ name }) => name !== 'OwnAccess')
  expect(await failedPages(page, reading)).toEqual([])
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.facts').first().waitFor()
  expect(faults.filter((fault) => !/50[0-9]/.test(fault))).toEqual([])
})

test('a page of an organization with nothing in it has no accessibility violation', async () => {
  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForSelector('.main-menu')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const { post } = await apiOf(installation, PASSWORD)
  const { id, name } = await post('/api/v1/orgs/orgs/', { name: 'Nothing yet' })
  await page.evaluate(([key, org]) => localStorage.setItem(key, org), [
    'jms_current_org_admin',
    JSON.stringify({ id, name }),
  ] as const)
  await page.goto(`${installation.url}/ui/users/groups`)
  await page.locator('.table tr.empty').waitFor()
  expect(
    await emptyPages(
      page,
      PAGES.filter(({ path, name: page }) => !path.includes(':') && !page.endsWith('Create')),
    ),
  ).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

/** Pages that people see without being administrators, but for those of one row. */
const OWN_PAGES = pagesOf(MENU.user).filter(({ path }) => !path.includes(':'))

test('a page of a person without any permission keeps its heading and offers to try again when its data fails; empty, it has no accessibility violation', async () => {
  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  const { post } = await apiOf(installation, PASSWORD)
  await post('/api/v1/users/users/', {
    ...{ name: 'Nobody Yet', username: 'nobody.yet', email: 'nobody.yet@example.com', source: 'local' },
    ...{ password_strategy: 'custom', password: PASSWORD, need_update_password: false },
  })
  const own = await fetch(`${installation.url}/api/v1/authentication/tokens/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'nobody.yet', password: PASSWORD }),
  })
  const { token } = (await own.json()) as { token: string }
  await fetch(`${installation.url}/api/v1/users/profile/`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ is_first_login: false }),
  })
  await signIn(page, installation.url, 'nobody.yet', PASSWORD)
  await page.waitForSelector('.main-menu')
  // Their first page has been read by now, or not yet: it is forgotten with this.
  await page.goto(`${installation.url}/ui/nowhere`)
  await page.waitForSelector('h1')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(OWN_PAGES.length).toBeGreaterThan(5)
  // First what fails: what was read once stays.
  expect(await failedPages(page, OWN_PAGES)).toEqual([])
  expect(await emptyPages(page, OWN_PAGES)).toEqual([])
  expect(faults.filter((fault) => !/50[0-9]/.test(fault))).toEqual([])
  await context.close()
})

test('dialogs and menus of the web terminal have no accessibility violation', async () => {
  const { page, faults } = await openWindow('en')
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await open(page, '/luna/', '[role=treeitem]')
    await page.getByRole('button', { name: 'Setting' }).click()
    await page.getByRole('dialog').waitFor()
    found.push(...(await violations(page, `settings ${colorScheme}`, OVER_THE_PAGE)))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const name of ['View', 'Language', 'Help']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('menu').waitFor()
      found.push(...(await violations(page, `${name} ${colorScheme}`, OVER_THE_PAGE)))
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
  }
  expect([...found, ...faults]).toEqual([])
})

test('dialogs and boxes that pages open have no accessibility violation, and nothing moves for people who want no motion', async () => {
  const { page, faults } = await openWindow('en')
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const found: string[] = []
  const opened = '[role=dialog], [role=alertdialog]'
  const look = async (name: string | RegExp) => {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().click()
    await page.locator(opened).last().waitFor()
    found.push(...(await violations(page, `${page.url()} ${name}`, OVER_THE_PAGE)))
    await page.keyboard.press('Escape')
    await page.locator(opened).waitFor({ state: 'detached' })
  }
  await open(page, '/ui/users/users', 'tbody td a')
  const moved = await watchMotion(page)
  for (const name of ['Columns', 'Import', 'Export', 'Invite user']) await look(name)
  await page.locator('tbody td.tick input').first().check()
  for (const name of [/^Delete/, /^Update selected|^Update$/]) await look(name)
  await open(page, '/ui/audits/operate-log', 'tbody button[aria-haspopup=dialog]')
  await page.locator('tbody button[aria-haspopup=dialog]').first().click()
  await page.locator(opened).waitFor()
  found.push(...(await violations(page, 'event', OVER_THE_PAGE)))
  await page.keyboard.press('Escape')
  found.push(...(await moved()))
  expect([...found, ...faults]).toEqual([])
})

test('by keyboard alone, and by what is read out, an administrator signs in, creates a user, finds it, gives it access and signs out', async () => {
  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  await page.goto(`${installation.url}/core/auth/login/`)
  await giveAccessToNewUser(page, 'admin', PASSWORD)
  expect(faults).toEqual([])
  await context.close()
})

test('a name that is read from the right turns nothing of the line around it', async () => {
  const { page, faults } = await openWindow('en')
  const { post } = await apiOf(installation, PASSWORD)
  const groups = []
  for (const name of ['קבוצה 7', 'צוות', 'أمن']) groups.push((await post('/api/v1/users/groups/', { name })).id)
  const asset = { hostname: 'שרת-אחד', ip: '10.9.8.7', platform: 'Linux', protocols: ['ssh/22'] }
  const { id } = await post('/api/v1/assets/assets/', asset)
  const rule = await post('/api/v1/perms/asset-permissions/', { name: 'الأول', user_groups: groups, assets: [id] })
  await open(page, `/ui/perms/asset-permissions/${rule.id}`, 'p:has-text("may use")')
  expect(await turned(page, 'p:has-text("may use")')).toEqual([])
  await open(page, `/ui/perms/asset-permission/${rule.id}/update`, '.form .named small')
  expect(await turned(page, '.form .named:has-text("10.9.8.7")')).toEqual([])
  await open(page, `/ui/assets/assets/${id}`, '.facts')
  expect(await turned(page, 'h1')).toEqual([])
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  expect(await page.getByRole('alertdialog').textContent()).toContain('\u2068שרת-אחד\u2069')
  expect(faults).toEqual([])
})

test('[A4.10 A2.72 B9.28] the sidebar is 220 px wide and its content begins at 210, at 54 when it is closed; nothing is covered', async () => {
  const { page, context } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForSelector('.main-menu')
  const widths = () =>
    page.evaluate(() => {
      const rect = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
      return {
        sidebar: rect('.sidebar')?.width,
        content: rect('.content')?.left,
        menuEnd: rect('.main-menu')?.right,
        bar: rect('.top-bar')?.height,
      }
    })
  await expect.poll(widths).toEqual({ sidebar: 220, content: 210, menuEnd: 210, bar: 50 })
  await page.getByRole('button', { name: 'Toggle the menu' }).click()
  await expect.poll(widths).toEqual({ sidebar: 54, content: 54, menuEnd: 54, bar: 50 })
  await context.close()
})

test.each(['none', 'active'] as const)(
  'every control reached by the Tab key shows that it has the focus, forced colors: %s',
  async (forcedColors) => {
    const { page } = await openWindow('en')
    await page.emulateMedia({ forcedColors, reducedMotion: 'reduce' })
    await page.goto(`${installation.url}/ui/users/users`)
    await page.waitForSelector('tbody td a')
    const hidden: string[] = []
    // Through the bar and the tools of the list, which are single stops, then along its rows.
    for (let step = 0; step < 24; step++) {
      await page.keyboard.press(step < 14 ? 'Tab' : step % 4 ? 'ArrowRight' : 'ArrowDown')
      if (step === 13) await page.locator('tbody td a').first().focus()
      const bare = await hiddenFocus(page)
      if (bare) hidden.push(bare)
    }
    expect(hidden).toEqual([])
  },
)

test('[A2.73] every button of the bar shows its picture at any width, the bell without messages too', async () => {
  const { page, faults } = await openWindow('en')
  // Nobody tells of unread messages: a machine with much to do has sent a warning about its load by
  // now.
  await page.routeWebSocket('**/ws/notifications/site-msg/', () => {})
  await page.goto(`${installation.url}/ui/users/users`)
  await page.getByRole('button', { name: 'Site messages', exact: true }).waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const buttons = page.locator('.top-bar .bar-button')
    await expect.poll(() => buttons.count()).toBeGreaterThanOrEqual(4)
    const blank = () =>
      buttons.evaluateAll((all) =>
        all
          .filter((button) => !button.querySelector('svg')?.getBoundingClientRect().width)
          .map((button) => button.ariaLabel),
      )
    await expect.poll(async () => [width, await blank()]).toEqual([width, []])
  }
  expect(faults).toEqual([])
})

/** For each row of the page's list: where its parts are, in pixels. */
const cardsOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('tbody tr')].map((row) => {
      const { left, right } = row.getBoundingClientRect()
      const cells = [...row.querySelectorAll<HTMLElement>('td:not(.tick)')].filter((cell) => cell.offsetParent)
      const partOf = (cell: Element | undefined) => cell?.getBoundingClientRect() ?? new DOMRect()
      const [name, actions] = ['name', 'stay'].map((part) =>
        partOf(cells.find(({ classList }) => classList.contains(part))),
      )
      const rest = cells.filter(({ classList }) => !classList.contains('name') && !classList.contains('stay'))
      return {
        left,
        right,
        nameEnd: name?.bottom ?? 0,
        actionsBeside: (actions?.left ?? 0) >= (name?.right ?? 0) && (actions?.top ?? 0) < (name?.bottom ?? 0),
        actionsEnd: actions?.right ?? 0,
        restBegins: Math.min(...rest.map((cell) => partOf(cell).top)),
        restEnds: Math.max(...rest.map((cell) => partOf(cell).right)),
      }
    }),
  )

test('on a phone each row of a list is a card: name and actions above what else is known of it, none wider than the screen', async () => {
  const { page, faults } = await openWindow('en')
  await page.setViewportSize({ width: 390, height: 844 })
  for (const address of ['/ui/users/users', '/ui/assets/assets', '/ui/perms/asset-permissions']) {
    await open(page, address, 'tbody td.name a')
    const cards = await cardsOf(page)
    expect(cards.length).toBeGreaterThan(3)
    for (const card of cards) {
      expect.soft([address, card.left >= 0 && card.right <= 390]).toEqual([address, true])
      expect.soft([address, card.actionsBeside, card.actionsEnd <= card.right]).toEqual([address, true, true])
      expect
        .soft([address, card.restBegins >= card.nameEnd, card.restEnds <= card.right])
        .toEqual([address, true, true])
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }
  expect(faults).toEqual([])
})
