/** The promise to a newcomer, end to end: from the first sign-in to a recorded session, through the pages alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'

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

test('A1.01 A1.10 A1.16 A2.67 a newcomer signs in, describes a machine, lets a person in, watches, terminates and replays the session', async () => {
  const { url } = installation
  const { page: admin, context, faults } = await openContext(browser, url, 'en')

  // The one-time password opens nothing but the page that changes it.
  await signIn(admin, url, 'admin', installation.firstPassword)
  await admin.waitForURL('**/password/reset/**')
  await admin.fill('#new_password', 'Guarded-door-1')
  await admin.fill('#confirm_password', 'Guarded-door-1')
  await admin.keyboard.press('Enter')
  await admin.waitForURL('**/auth/login/**')
  await signIn(admin, url, 'admin', 'Guarded-door-1')
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
    await admin.fill('#password', 'Walk-through-2')
  })
  await fillForm(admin, '/perms/asset-permissions', '', async () => {
    await admin.fill('#name', 'Web servers for 李雷')
    await choose(admin, 'users', '李雷')
    await choose(admin, 'nodes', 'Web servers')
    await choose(admin, 'system_users', 'Deploy')
  })

  // The person signs in, completes the first-login form, and finds the asset in the tree of the web terminal.
  const { page: person, faults: personFaults } = await openContext(browser, url, 'zh-hans')
  await signIn(person, url, 'lilei', 'Walk-through-2')
  await person.waitForURL('**/users/first-login/**')
  await person.getByText('我同意').click()
  await person.getByRole('button', { name: '提交' }).click()
  await person.waitForURL('**/users/first-login/guide/**')
  await person.goto(`${url}/luna/`)
  await person.getByText('Web servers (1)').click()
  await person.getByText('web-1').click()

  // What is typed is not what is looked for: the shell has to put the two halves together.
  await person.locator('.xterm-helper-textarea').waitFor({ state: 'attached' })
  await seeOnScreen(person, /[#$]\s*$/)
  await type(person, 'PS1="ready> "; clear')
  await seeOnScreen(person, 'ready>')
  await type(person, 'echo "你好"",世界"')
  await seeOnScreen(person, '你好,世界')

  await admin.goto(`${url}/ui/terminal/sessions`)
  await admin.getByText('lilei').first().waitFor()
  const [session] = await read<{ id: string }[]>(admin, '/api/v1/terminal/sessions/?is_finished=0')
  expect(session).toMatchObject({ user: '李雷(lilei)', system_user: expect.stringContaining('Deploy'), is_finished: false })
  const id = session?.id ?? ''

  const monitor = await context.newPage()
  await monitor.goto(`${url}/luna/monitor/${id}`)
  await seeOnScreen(monitor, '你好,世界')
  await type(person, 'echo wat""ched-live')
  await seeOnScreen(monitor, 'watched-live')
  await monitor.getByRole('button', { name: 'Terminate' }).click()
  await monitor.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click()
  await seeOnScreen(person, 'Administrator')

  // The recording holds what the screen showed, in its order, and the commands stand beside it.
  await expect
    .poll(async () => (await read<{ can_replay: boolean }>(admin, `/api/v1/terminal/sessions/${id}/`)).can_replay, { timeout: 20_000 })
    .toBe(true)
  await monitor.goto(`${url}/luna/replay/${id}`)
  await monitor.locator('.wt-commands').getByText('echo wat""ched-live').waitFor()
  await monitor.locator('.wt-commands').getByText('echo wat""ched-live').click()
  // The player puts every wide letter into an element of its own.
  await expect
    .poll(async () => (await monitor.locator('.wt-player-screen').textContent())?.replaceAll(/\s/g, ''), { timeout: 20_000 })
    .toMatch(/ready>echo"你好"",世界"你好,世界ready>/)

  await admin.goto(`${url}/ui/terminal/commands`)
  await admin.getByText('echo "你好"",世界"').first().waitFor()
  expect([...faults, ...personFaults]).toEqual([])
})

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
  await expect.poll(() => page.locator('.xterm-rows').textContent(), { timeout: 20_000 }).toMatch(text)
}

function read<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(async (address) => (await fetch(address)).json(), path)
}
