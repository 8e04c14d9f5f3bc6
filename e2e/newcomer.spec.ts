/**
 * The promise to a newcomer, end to end: from the first sign-in to a recorded session, through the
 * pages alone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'

/** What the pages looked like, for whoever wants to see. */
const PICTURES = fileURLToPath(new URL('../test-results/newcomer/', import.meta.url))

let installation: Installation
let sshd: Sshd
let browser: Browser
let folder: string

beforeAll(async () => {
  ;[installation, sshd, browser] = await Promise.all([startInstallation(), startSshd(), openBrowser()])
  folder = mkdtempSync(join(tmpdir(), 'sallyport-newcomer-'))
})

afterAll(async () => {
  await browser?.close()
  await sshd?.close()
  await installation?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('[A1.01 A1.03 A1.04 A1.19 A2.63 A2.70 B7.04] a newcomer signs in, describes a machine, lets a person in, watches, terminates and replays the session', async () => {
  const { url } = installation
  const { page: admin, context, faults } = await openContext(browser, url, 'en')

  // The one-time password opens nothing but the page that changes it.
  await signIn(admin, url, 'admin', installation.firstPassword)
  await admin.waitForURL('**/password/reset/**')
  await admin.fill('#new_password', 'Guarded-door-1')
  await admin.fill('#confirm_password', 'Guarded-door-1')
  await picture(admin, 'first-password')
  await admin.keyboard.press('Enter')
  await admin.waitForURL('**/ui/**')

  await admin.goto(`${url}/ui/assets/assets`)
  await admin.locator('aside').getByText('Default (0)').click({ button: 'right' })
  await admin.getByText('Create node').click()
  await admin.locator('aside input').fill('Web servers')
  await admin.keyboard.press('Enter')
  await admin.locator('aside').getByText('Web servers (0)').waitFor()

  await fillForm(admin, '/assets/assets', '', async () => {
    await admin.fill('#hostname', 'web-1')
    await admin.fill('#ip', '127.0.0.1')
    await admin.getByLabel('Port', { exact: true }).fill(String(sshd.port))
    await choose(admin, 'nodes', 'Web servers')
    await picture(admin, 'asset')
  })
  await fillForm(admin, '/assets/system-users', '?protocol=ssh', async () => {
    await admin.fill('#name', 'Deploy')
    await admin.fill('#username', sshd.username)
    const key = join(folder, 'key')
    writeFileSync(key, sshd.privateKey)
    await admin.setInputFiles('input[type=file]', key)
  })
  await fillForm(admin, '/users/users', '', async () => {
    await admin.fill('#name', '李雷')
    await admin.fill('#username', 'lilei')
    await admin.fill('#email', 'lilei@example.com')
    // Without a mail server nobody can be sent a link: a password is asked for.
    await admin.fill('#password', 'Walk-through-2')
    await picture(admin, 'user')
  })
  await fillForm(admin, '/perms/asset-permissions', '', async () => {
    await admin.fill('#name', 'Web servers for 李雷')
    await choose(admin, 'users', '李雷')
    await choose(admin, 'nodes', 'Web servers')
    await choose(admin, 'system_users', 'Deploy')
    await picture(admin, 'permission')
  })
  await admin.locator('.top-bar').getByText('Administrator').click()
  await admin.getByRole('menuitem', { name: 'Logout' }).click()
  await admin.waitForURL('**/auth/login/**')

  // The person signs in, in Chinese, completes the first-login form, and goes from the start page
  // to the machine. There are no terms to agree to and no guide to read.
  const { page: person, context: personContext, faults: personFaults } = await openContext(browser, url, 'zh-hans')
  await signIn(person, url, 'lilei', 'Walk-through-2')
  await person.waitForURL('**/users/first-login/**')
  await picture(person, 'first-login')
  await person.getByRole('button', { name: '提交' }).click()
  await person.getByRole('heading', { name: '我的资产' }).waitFor()
  await person.getByText('Web servers (1)').waitFor()
  await picture(person, 'my-assets')
  const opened = personContext.waitForEvent('page')
  await person.getByRole('button', { name: '连接 web-1' }).click()
  const terminal = await opened
  const received: Buffer[] = []
  terminal.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => typeof payload !== 'string' && received.push(payload)),
  )

  // What is typed is not what is looked for: the shell has to put the two halves together.
  await terminal.locator('.xterm-helper-textarea').waitFor({ state: 'attached' })
  await seeOnScreen(terminal, /[#$]\s*$/)
  await type(terminal, 'PS1="ready> "; clear')
  await seeOnScreen(terminal, 'ready>')
  await type(terminal, 'echo "你好"",世界"')
  await seeOnScreen(terminal, '你好,世界')
  await picture(terminal, 'terminal')

  await signIn(admin, url, 'admin', 'Guarded-door-1')
  await admin.waitForURL('**/ui/**')
  await admin.goto(`${url}/ui/terminal/sessions`)
  await admin.getByText('lilei').first().waitFor()
  await picture(admin, 'sessions')
  const [session] = await read<{ id: string }[]>(admin, '/api/v1/terminal/sessions/?is_finished=0')
  expect(session).toMatchObject({
    user: '李雷(lilei)',
    system_user: expect.stringContaining('Deploy'),
    is_finished: false,
  })
  const id = session?.id ?? ''

  const watching = context.waitForEvent('page')
  await admin.getByRole('button', { name: 'Monitor' }).click()
  const monitor = await watching
  expect(new URL(monitor.url()).pathname).toBe(`/luna/monitor/${id}`)
  await seeOnScreen(monitor, '你好,世界')
  await type(terminal, 'echo wat""ched-live')
  await seeOnScreen(monitor, 'watched-live')
  await picture(monitor, 'monitor')
  await monitor.getByRole('button', { name: 'Terminate' }).click()
  await monitor.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click()
  await seeOnScreen(terminal, 'Administrator')
  await picture(terminal, 'terminated')

  // The recording holds the bytes that the person's browser got, and the commands stand beside it.
  await expect
    .poll(async () => (await read<{ can_replay: boolean }>(admin, `/api/v1/terminal/sessions/${id}/`)).can_replay)
    .toBe(true)
  const recorded = await recordedOutput(admin, id)
  expect(recorded).toMatch(/你好,世界[\s\S]*watched-live/)
  expect(Buffer.concat(received).toString()).toContain(recorded)

  await admin.goto(`${url}/ui/terminal/sessions`)
  await admin.getByRole('tab', { name: 'Sessions offline' }).click()
  const replaying = context.waitForEvent('page')
  await admin.getByRole('button', { name: 'Replay' }).click()
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

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`) })
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
  await page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)').getByText(text).last().click()
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
