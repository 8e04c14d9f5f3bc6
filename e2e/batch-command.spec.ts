/**
 * One command on many machines as people live it: an administrator by the menu, an ordinary person
 * in Chinese on a phone, through the real server, browser and sshd.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { apiOf, describeMachine } from './machine.ts'
import { picturesIn } from './picture.ts'

const pictureOf = picturesIn('batch-command')
const PASSWORD = 'Guarded-1'

let installation: Installation
let sshd: Sshd
let browser: Browser

beforeAll(async () => {
  ;[installation, sshd, browser] = await Promise.all([
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
    openBrowser(),
  ])
  const { asset, systemUser } = await describeMachine(installation, sshd, PASSWORD)
  const { post, profile } = await apiOf(installation, PASSWORD)
  const machine = async (hostname: string, port: number) =>
    (await post('/api/v1/assets/assets/', { hostname, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${port}`] }))
      .id
  const others = [await machine('web-2', sshd.port), await machine('web-3', 1)]
  const worker = await post('/api/v1/users/users/', {
    name: 'Wu',
    username: 'wu',
    email: 'wu@example.com',
    password_strategy: 'custom',
    password: PASSWORD,
    need_update_password: false,
    role: 'User',
  })
  await isNoNewcomer('wu')
  await post('/api/v1/perms/asset-permissions/', {
    name: 'batch',
    users: [worker.id, profile.id],
    assets: [asset, ...others],
    system_users: [systemUser],
  })
})
afterAll(async () => {
  await browser?.close()
  await sshd?.close()
  await installation?.stop()
})

/** Has filled in what everybody is asked for at their first sign-in. */
async function isNoNewcomer(username: string): Promise<void> {
  const send = (method: string, path: string, body: object, headers = {}) =>
    fetch(installation.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const { token } = (await (
    await send('POST', '/api/v1/authentication/tokens/', { username, password: PASSWORD })
  ).json()) as { token: string }
  await send('PATCH', '/api/v1/users/profile/', { is_first_login: false }, { authorization: `Bearer ${token}` })
}

const picture = (page: Page, name: string) => pictureOf(page, name, { fullPage: true })

test('[A2.45] by the menu: machines of a branch are ticked together, equal answers are one block, and what failed is run again', async () => {
  const { page, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.getByRole('button', { name: 'Job center' }).click()
  await page.getByRole('link', { name: 'Batch command' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('Choose assets first.')
  const tree = page.getByRole('tree', { name: 'Assets' })
  await tree.getByRole('treeitem').first().click()
  await expect.poll(() => tree.getByRole('treeitem', { name: 'web-2' }).getAttribute('aria-checked')).toBe('true')
  await page.getByLabel('Command', { exact: true }).fill('echo here')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const answers = page.getByRole('region', { name: 'Output' })
  await answers.getByRole('heading', { name: /2 assets/ }).waitFor()
  await expect.poll(() => answers.getByRole('log', { name: 'Output' }).allTextContents()).toEqual(['here\n'])
  await answers.getByRole('article').getByText('nothing listens on this port').waitFor()
  await picture(page, 'answers-en')
  await page.reload()
  await answers.getByRole('heading', { name: /2 assets/ }).waitFor()
  await answers.getByRole('button', { name: 'Run again on failed assets' }).click()
  await expect.poll(() => answers.getByRole('heading').allTextContents()).toEqual([expect.stringContaining('web-3')])

  await tree.getByRole('treeitem').first().click()
  const sign = join(mkdtempSync(join(tmpdir(), 'sallyport-batch-')), 'sign')
  await page
    .getByLabel('Command', { exact: true })
    .fill(`echo begun; until [ -e ${sign} ]; do sleep 0.1; done; echo ended`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const lines = answers.getByRole('list', { name: 'Assets' }).getByRole('button')
  await expect
    .poll(() => lines.allTextContents())
    .toEqual([
      expect.stringMatching(/^Running.*begun/),
      expect.stringMatching(/^Running.*begun/),
      expect.stringMatching(/^Failed/),
    ])
  await answers.getByText(/^As deploy/).waitFor()
  const before = await lines.last().boundingBox()
  await picture(page, 'running-en')
  writeFileSync(sign, '')
  await expect.poll(() => lines.first().textContent()).toMatch(/^Succeeded.*ended/)
  expect(await lines.last().boundingBox()).toEqual(before)

  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByPlaceholder('Search', { exact: true }).fill('ended')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /^echo begun/ }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: /^echo/ }).count()).toBe(1)
  await picture(page, 'history-en')
  await page.getByRole('link', { name: /^echo begun/ }).click()
  await answers.getByRole('heading', { name: /2 assets/ }).waitFor()
  expect(faults).toEqual([])
})

test('[A2.65] an ordinary person on a phone, in Chinese, with the keyboard: one machine, its answer, a run that is stopped', async () => {
  const { page, faults } = await openContext(browser, installation.url, 'zh-hans')
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, installation.url, 'wu', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${installation.url}/ui/command-executions`)
  await page.getByLabel('名称或地址').fill('web-1')
  const lines = page.getByRole('treeitem')
  await expect.poll(() => lines.count()).toBe(2)
  await lines.last().focus()
  await page.keyboard.press('Space')
  await expect.poll(() => lines.first().getAttribute('aria-checked')).toBe('true')
  await page.getByLabel('命令', { exact: true }).fill('echo 中文; sleep 100')
  await page.getByRole('button', { name: '执行' }).click()
  const answers = page.getByRole('region', { name: '输出结果' })
  await answers.getByText('执行中 1').waitFor()
  await expect.poll(() => answers.getByRole('log').allTextContents()).toEqual(['中文\n'])
  await answers.getByRole('button', { name: '停止' }).click()
  await answers.getByText('已取消').waitFor()
  await expect.poll(() => answers.getByRole('log').allTextContents()).toEqual(['中文\n'])
  await picture(page, 'stopped-cn')
  expect(faults).toEqual([])
})
