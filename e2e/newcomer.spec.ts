/**
 * The promise to a newcomer, end to end: from the first sign-in to a recorded session, through the
 * pages alone.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { openFirefox } from './firefox.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { picturesIn } from './picture.ts'

const picture = picturesIn('newcomer')

let installation: Installation
let sshd: Sshd
let browser: Browser

beforeAll(async () => {
  ;[installation, sshd, browser] = await Promise.all([startInstallation(), startSshd(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await sshd?.close()
  await installation?.stop()
})

test('[A1.19] a newcomer who reads no Chinese finds English at the top of the first page, in a browser that was never here', async () => {
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  await page.goto(`${installation.url}/core/auth/login/`)
  await page.getByRole('heading', { name: '登录' }).waitFor()
  expect(await context.cookies()).not.toContainEqual(expect.objectContaining({ name: 'django_language' }))
  const english = page.getByRole('button', { name: 'English' })
  const above = (await page.getByRole('heading').boundingBox())?.y ?? 0
  expect((await english.boundingBox())?.y).toBeLessThan(above)
  await picture(page, 'first-page')
  await english.click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // What comes next is so from its first paint on: the document says it before any code runs.
  const next = await context.request.get(`${installation.url}/ui/`)
  expect(await next.text()).toContain('<html lang="en"')
  await context.close()
})

test('[A1.01 A1.03 A1.04 A1.19 A2.63 A2.70 B7.04] a newcomer is led to the first prompt in ten clicks at most, lets a person in, watches, terminates and replays the session', async () => {
  const { url } = installation
  const { page: admin, context, faults } = await openContext(browser, url, 'en')
  const presses = await countPresses(context)

  // The one-time password opens nothing but the page that changes it.
  await signIn(admin, url, 'admin', installation.firstPassword)
  await admin.waitForURL('**/password/reset/**')
  await admin.fill('#new_password', 'Guarded-door-1')
  await admin.fill('#confirm_password', 'Guarded-door-1')
  await picture(admin, 'first-password')
  await admin.keyboard.press('Enter')
  await admin.waitForURL('**/ui/**')

  // The guide on the start page: what the machine refuses is beside the field, and a reload
  // loses nothing that exists.
  await admin.getByLabel('Address').fill('127.0.0.1')
  await admin.getByLabel('SSH port').fill(String(sshd.port))
  await admin.getByLabel('Name (optional)').fill('web-1')
  await admin.getByRole('button', { name: 'Check connection' }).click()
  await admin.getByText(sshd.hostKey()).waitFor()
  await picture(admin, 'guide-host-key')
  await admin.getByRole('button', { name: 'Trust this key and add' }).click()
  await admin.getByRole('button', { name: 'Use a private key instead' }).click()
  await admin.getByLabel('Username on web-1').fill(sshd.username)
  await admin.getByLabel('Private key').fill(sshd.privateKey)
  await admin.getByRole('button', { name: 'Test and save' }).click()
  await admin.getByRole('button', { name: 'Skip, just me for now' }).waitFor()
  await admin.reload()
  await admin.getByRole('button', { name: 'Skip, just me for now' }).click()
  const first = context.waitForEvent('page')
  await admin.getByRole('link', { name: 'Open a terminal on web-1' }).click()
  const ownTerminal = await first
  await seeOnScreen(ownTerminal, /[#$]\s*$/)
  // From the sign-in page to the prompt; it was 29.
  expect(presses()).toBeLessThanOrEqual(10)
  await admin.getByText('Your first session is recorded').waitFor()
  await picture(admin, 'guide-done')
  await admin.getByRole('button', { name: 'Finish' }).click()
  await type(ownTerminal, 'exit')
  await seeOnScreen(ownTerminal, 'The session has ended')
  await ownTerminal.close({ runBeforeUnload: false })

  await fillForm(admin, '/users/users', '', async () => {
    await admin.fill('#name', '李雷')
    await admin.fill('#username', 'lilei')
    await admin.fill('#email', 'lilei@example.com')
    // Without a mail server nobody can be sent a link: a password is asked for.
    await admin.fill('#password', 'Walk-through-2')
    await picture(admin, 'user')
  })
  await fillForm(admin, '/perms/asset-permissions', '', async () => {
    await admin.fill('#name', 'web-1 for 李雷')
    await choose(admin, 'users', '李雷')
    await choose(admin, 'assets', 'web-1')
    await choose(admin, 'system_users', sshd.username)
    await picture(admin, 'permission')
  })
  await admin.locator('.top-bar').getByText('Administrator').click()
  await admin.getByRole('menuitem', { name: 'Sign out' }).click()
  await admin.waitForURL('**/auth/login/**')

  // The person signs in, in Chinese, completes the first-login form, and goes from the start page
  // to the machine. There are no terms to agree to and no guide to read.
  const { page: person, context: personContext, faults: personFaults } = await openContext(browser, url, 'zh-hans')
  await signIn(person, url, 'lilei', 'Walk-through-2')
  // Somebody else knows that password.
  await person.waitForURL('**/password/reset/**')
  await person.fill('#new_password', 'Walk-through-3')
  await person.fill('#confirm_password', 'Walk-through-3')
  await person.keyboard.press('Enter')
  await person.waitForURL('**/users/first-login/**')
  await picture(person, 'first-login')
  await person.getByRole('button', { name: '提交' }).click()
  await person.getByRole('heading', { name: '我的资产' }).waitFor()
  await person.getByRole('treeitem', { name: 'Default 1' }).waitFor()
  await picture(person, 'my-assets')
  const received: Buffer[] = []
  // Heard from the page's beginning on: its line may be open before anybody waits for the page.
  personContext.once('page', (page) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => typeof payload !== 'string' && received.push(payload)),
    ),
  )
  const opened = personContext.waitForEvent('page')
  await person.getByRole('button', { name: '连接 web-1' }).click()
  const terminal = await opened

  // The typed text is not the searched one: the shell has to put the two halves together.
  await terminal.locator('.xterm-helper-textarea').waitFor({ state: 'attached' })
  await seeOnScreen(terminal, /[#$]\s*$/)
  await type(terminal, 'PS1="ready> "; clear')
  await seeOnScreen(terminal, /^\s*ready>\s*$/)
  await type(terminal, 'echo "你好"",世界"')
  await seeOnScreen(terminal, '你好,世界')
  await picture(terminal, 'terminal')

  await signIn(admin, url, 'admin', 'Guarded-door-1')
  await admin.waitForURL('**/ui/**')
  await admin.goto(`${url}/ui/terminal/sessions`)
  await admin.getByText('lilei').first().waitFor()
  await picture(admin, 'sessions')
  const [session] = await read<{ id: string; sign_in_id: string }[]>(admin, '/api/v1/terminal/sessions/?is_finished=0')
  expect(session).toMatchObject({
    user: '李雷(lilei)',
    system_user: expect.stringContaining(sshd.username),
    is_finished: false,
  })
  const id = session?.id ?? ''
  expect(await read(admin, `/api/v1/audits/login-logs/?ids=${session?.sign_in_id}`)).toMatchObject([
    { username: 'lilei', status: true },
  ])

  const watching = context.waitForEvent('page')
  await admin.getByRole('button', { name: 'Monitor' }).click()
  const monitor = await watching
  expect(new URL(monitor.url()).pathname).toBe(`/luna/monitor/${id}`)
  await seeOnScreen(monitor, '你好,世界')
  await type(terminal, 'echo wat""ched-live')
  await seeOnScreen(monitor, 'watched-live')
  await picture(monitor, 'monitor')
  await monitor.getByRole('button', { name: 'Terminate' }).click()
  await monitor.getByRole('alertdialog').getByRole('button', { name: 'Terminate' }).click()
  await seeOnScreen(terminal, 'Administrator')
  await picture(terminal, 'terminated')

  // The recording holds the bytes that the person's browser got, and the commands are beside it.
  await expect
    .poll(async () => (await read<{ can_replay: boolean }>(admin, `/api/v1/terminal/sessions/${id}/`)).can_replay)
    .toBe(true)
  const recorded = await recordedOutput(admin, id)
  expect(recorded).toMatch(/你好,世界[\s\S]*watched-live/)
  expect(Buffer.concat(received).toString()).toContain(recorded)

  await admin.goto(`${url}/ui/terminal/sessions`)
  await admin.getByRole('tab', { name: 'Past' }).click()
  const replaying = context.waitForEvent('page')
  await admin.getByRole('row').filter({ hasText: 'lilei' }).getByRole('button', { name: 'Replay' }).click()
  const replay = await replaying
  expect(new URL(replay.url()).pathname).toBe(`/luna/replay/${id}`)
  await replay.locator('.wt-commands').getByText('echo wat""ched-live').click()
  await expect
    .poll(async () => (await replay.locator('.rp-stage .xterm-rows').textContent())?.replaceAll(/\s/g, ''))
    .toMatch(/ready>echo"你好"",世界"你好,世界ready>/)
  await picture(replay, 'replay')

  await admin.goto(`${url}/ui/terminal/commands`)
  await admin.getByText('echo "你好"",世界"').first().waitFor()
  await picture(admin, 'commands')
  expect([...faults, ...personFaults]).toEqual([])
})

test('in Firefox a person signs in, finds the machine, and works in its shell', async () => {
  const { url } = installation
  const firefox = await openFirefox()
  try {
    const page = await firefox.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await firefox.setCookie({ name: 'django_language', value: 'en', domain: new URL(url).hostname })
    await page.goto(`${url}/core/auth/login/`)
    // Not by locators, which evaluate texts: the policy of the page forbids it.
    const sees = (selector: string, text: string) =>
      expect
        .poll(() => page.$$eval(selector, (found) => found.map(({ textContent }) => textContent).join('\n')))
        .toContain(text)
    await sees('h1', 'Sign in')
    await page.type('#username', 'lilei')
    await page.type('#password', 'Walk-through-3')
    await page.keyboard.press('Enter')
    await sees('h1', 'My assets')
    await sees('tbody', 'web-1')
    const [asset] = (await page.evaluate(async () => (await fetch('/api/v1/perms/users/assets/')).json())) as {
      id: string
    }[]
    await page.goto(`${url}/luna/?login_to=${asset?.id}`)
    const screen = () =>
      page.evaluate(() => document.querySelector('.wt-pane:not([hidden]) .xterm-rows')?.textContent ?? '')
    await expect.poll(screen).toMatch(/[#$]\s*$/)
    await page.keyboard.type('echo "fire""fox-$((6*7))"\n')
    await expect.poll(screen).toContain('firefox-42')
    expect(faults).toEqual([])
  } finally {
    await firefox.close()
  }
})

test('a newcomer’s machine behind a gateway is found, tried and opened through it; the guide is sent away in every browser', async () => {
  const [fresh, way] = await Promise.all([startInstallation(), startSshd()])
  try {
    const { page: admin, context, faults } = await openContext(browser, fresh.url, 'en')
    const presses = await countPresses(context)
    await signIn(admin, fresh.url, 'admin', fresh.firstPassword)
    await admin.waitForURL('**/password/reset/**')
    await admin.fill('#new_password', 'Guarded-door-1')
    await admin.fill('#confirm_password', 'Guarded-door-1')
    await admin.keyboard.press('Enter')
    await admin.waitForURL('**/ui/**')
    await admin.getByRole('button', { name: 'Connect through a gateway' }).click()
    await admin.getByLabel('Address of the gateway').fill('127.0.0.1')
    await admin.getByLabel('SSH port of the gateway').fill(String(way.port))
    await admin.getByLabel('Username on the gateway').fill(way.username)
    await admin.getByRole('button', { name: 'Use a private key instead' }).click()
    await admin.getByLabel('Private key').fill(way.privateKey)
    await picture(admin, 'guide-gateway')
    await admin.getByRole('button', { name: 'Save the gateway and log in' }).click()
    await admin.getByLabel('Reached through').waitFor()
    await admin.getByLabel('Address').fill('127.0.0.1')
    await admin.getByLabel('SSH port').fill(String(sshd.port))
    await admin.getByLabel('Name (optional)').fill('inside')
    await admin.getByRole('button', { name: 'Check connection' }).click()
    await admin.getByText(sshd.hostKey()).waitFor()
    await admin.getByRole('button', { name: 'Trust this key and add' }).click()
    await admin.getByLabel('Username on inside').fill(sshd.username)
    await admin.getByRole('button', { name: 'Use a private key instead' }).click()
    await admin.getByLabel('Private key').fill(sshd.privateKey)
    await admin.getByRole('button', { name: 'Test and save' }).click()
    await admin.getByRole('button', { name: 'Skip, just me for now' }).click()
    const link = admin.getByRole('link', { name: 'Open a terminal on inside' })
    await link.waitFor()

    // Another browser of the same person.
    const { page: elsewhere } = await openContext(browser, fresh.url, 'en')
    await signIn(elsewhere, fresh.url, 'admin', 'Guarded-door-1')
    const guide = elsewhere.getByRole('region', { name: 'Get started' })
    await guide.getByRole('button', { name: 'Not now' }).click()
    await guide.waitFor({ state: 'detached' })
    const again = await context.newPage()
    await again.goto(`${fresh.url}/ui/`)
    await again.getByRole('heading', { name: 'Live now' }).waitFor()
    expect(await again.getByRole('region', { name: 'Get started' }).count()).toBe(0)

    const opening = context.waitForEvent('page')
    await link.click()
    await seeOnScreen(await opening, /[#$]\s*$/)
    // Three more for the gateway.
    expect(presses()).toBeLessThanOrEqual(12)
    expect(faults).toEqual([])
  } finally {
    await fresh.stop()
    await way.close()
  }
})

/**
 * Counts the clicks on all pages of a context from now on; Enter in a form clicks its button, too.
 */
async function countPresses(context: BrowserContext): Promise<() => number> {
  let presses = 0
  await context.exposeFunction('countPress', () => presses++)
  await context.addInitScript(() =>
    addEventListener('click', () => (globalThis as unknown as { countPress(): void }).countPress(), true),
  )
  return () => presses
}

/** All output of a session's recording, in its order. */
async function recordedOutput(page: Page, session: string): Promise<string> {
  const { src } = await read<{ src: string }>(page, `/api/v1/terminal/sessions/${session}/replay/`)
  const recording = await page.evaluate(async (address) => (await fetch(address)).text(), src)
  const [, ...events] = recording.trimEnd().split('\n')
  return events
    .map((line): [number, string, string] => JSON.parse(line))
    .map(([, kind, text]) => (kind === 'o' ? text : ''))
    .join('')
}

/** A create page, its fields and Submit; it ends on the page that shows what was made. */
async function fillForm(page: Page, resource: string, query: string, fields: () => Promise<void>): Promise<void> {
  await page.goto(`${installation.url}/ui${resource}/create${query}`)
  await fields()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.waitForURL((to) => !to.pathname.endsWith('/create'))
}

async function choose(page: Page, field: string, text: string): Promise<void> {
  await page.click(`#${field}`)
  await page.keyboard.type(text)
  await page.locator('[role=option], [role=treeitem]').getByText(text).last().click()
  await page.keyboard.press('Escape')
}

async function type(page: Page, command: string): Promise<void> {
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.insertText(command)
  await page.keyboard.press('Enter')
}

async function seeOnScreen(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => page.locator('.xterm-rows').textContent()).toMatch(text)
}

function read<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(async (address) => (await fetch(address)).json(), path)
}
