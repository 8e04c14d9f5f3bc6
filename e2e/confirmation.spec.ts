/**
 * A command that others must confirm, as two people live it: one types it in the web terminal, the
 * other, in Chinese, gets a message, reads it and decides; through the real server, browser and sshd.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { licenseSettings } from '../apps/server/test/license.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { apiOf, describeMachine } from './machine.ts'
import { picturesIn } from './picture.ts'
import { sees } from './terminal-screen.ts'

const picture = picturesIn('confirmation')
const PASSWORD = 'Guarded-1'

let installation: Installation
let sshd: Sshd
let browser: Browser
/** Output of the commands. */
const folder = mkdtempSync(join(tmpdir(), 'sallyport-confirmed-'))
let get: Awaited<ReturnType<typeof apiOf>>['get']
let filter: string
let rule: string

beforeAll(async () => {
  ;[installation, sshd, browser] = await Promise.all([
    // Tickets have their pages with a license.
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, ...licenseSettings(30) } }),
    startSshd(),
    openBrowser(),
  ])
  const { asset, systemUser } = await describeMachine(installation, sshd, PASSWORD)
  const { post, profile, ...api } = await apiOf(installation, PASSWORD)
  get = api.get
  const worker = await post('/api/v1/users/users/', {
    name: 'Wu',
    username: 'wu',
    email: 'wu@example.com',
    password_strategy: 'custom',
    password: PASSWORD,
    need_update_password: false,
    role: 'User',
  })
  await post('/api/v1/perms/asset-permissions/', {
    name: 'wu on web-1',
    users: [worker.id],
    assets: [asset],
    system_users: [systemUser],
  })
  filter = String((await post('/api/v1/assets/cmd-filters/', { name: 'Dangerous', assets: [asset] })).id)
  const draft = { type: 'command', content: 'touch', action: 2, priority: 20, reviewers: [profile.id] }
  rule = String((await post(`/api/v1/assets/cmd-filters/${filter}/rules/`, draft)).id)
})
afterAll(async () => {
  await browser?.close()
  await sshd?.close()
  await installation?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('[A2.52 A1.05] a person sends a command that others confirm: the reviewer gets a message, reads it whole, accepts one and rejects one; the first runs once, the second never', async () => {
  const { page: worker, faults } = await openContext(browser, installation.url, 'en')
  worker.on('dialog', (dialog) => void dialog.accept())
  await signIn(worker, installation.url, 'wu', PASSWORD)
  await worker.waitForURL('**/ui/**')
  await worker.goto(`${installation.url}/luna/`)
  await worker.getByRole('treeitem', { name: 'web-1' }).dblclick()
  await sees(worker, /[#$] /)

  const { page: reviewer, faults: faultsOfReviewer } = await openContext(browser, installation.url, 'zh-hans')
  await signIn(reviewer, installation.url, 'admin', PASSWORD)
  await reviewer.waitForURL('**/ui/**')

  const file = join(folder, 'ran')
  const command = `touch ${file}-never; echo ran >> ${file}`
  await worker.keyboard.type(`${command}\n`)
  await sees(worker, /must be confirmed by: Administrator \(admin\).*Go on\? \[Y\/n\]/)
  await picture(worker, '1-question')
  await worker.keyboard.type('y\n')
  await sees(worker, /Waiting for Administrator \(admin\) to confirm: http\S+\/ui\/tickets\/tickets\//)
  await sees(worker, /\d+ ?s/)
  await picture(worker, '2-waiting')
  await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT')

  // The notice among the site messages leads to the ticket. It is sent behind the ticket's back.
  const unread = '/api/v1/notifications/site-message/?offset=0&limit=1&has_read=false'
  await expect.poll(async () => (await get<{ count: number }>(unread)).count).toBeGreaterThan(0)
  await reviewer.goto(`${installation.url}/ui/notifications/site-messages`)
  await reviewer.getByText('Wu (wu) 等待您的复核').first().click()
  await picture(reviewer, '3-notice')
  await reviewer.getByRole('link', { name: '查看工单' }).first().click()
  await reviewer.waitForURL('**/tickets/tickets/command-confirm/**')
  await reviewer.getByText(command).first().waitFor()
  await reviewer.getByRole('link', { name: 'Dangerous，优先级 20' }).waitFor()
  await reviewer.getByRole('img', { name: '在线' }).waitFor()
  expect(await reviewer.locator('pre mark').textContent()).toBe('touch')
  await picture(reviewer, '4-ticket')
  await reviewer.getByRole('button', { name: '同意' }).click()
  const dialog = reviewer.getByRole('dialog', { name: '允许执行该命令？' })
  await dialog.getByText(command).waitFor()
  await picture(reviewer, '5-decision')
  await dialog.getByRole('button', { name: '同意' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('ran\n')
  await worker.keyboard.type('echo "after-$((6*7))"\n')
  await sees(worker, /after-42/)
  await picture(worker, '6-ran')
  expect(await readFile(file, 'utf8')).toBe('ran\n')

  // The second is rejected; nothing of it runs.
  const second = `touch ${file}-second`
  await worker.keyboard.type(`${second}\n`)
  await sees(worker, new RegExp(`${second}\\s*This command must be confirmed by: .*Go on\\? \\[Y/n\\]\\s*$`))
  await worker.keyboard.type('y\n')
  await sees(worker, /Go on\? \[Y\/n\] y\s*Waiting for Administrator \(admin\)[^?]*$/)
  await reviewer.goto(`${installation.url}/ui/tickets/tickets?activeTab=AssignedTicketList`)
  await reviewer.getByRole('link', { name: `Command confirm ${second}` }).click()
  await reviewer.getByRole('button', { name: '拒绝' }).click()
  const refusal = reviewer.getByRole('dialog', { name: '拒绝该命令？' })
  await refusal.getByLabel('您的评论').fill('晚上再做')
  await picture(reviewer, '7-rejection')
  await refusal.getByRole('button', { name: '拒绝' }).click()
  await sees(worker, /Administrator \(admin\) rejected this command/)
  await picture(worker, '8-rejected')
  await expect(readFile(`${file}-second`)).rejects.toThrow('ENOENT')

  // Both are in the list of commands, with their tickets where there is room for them, and the rule
  // opens in its filter.
  await reviewer.setViewportSize({ width: 1680, height: 900 })
  const [session] = await get<{ id: string }[]>('/api/v1/terminal/sessions/?is_finished=0')
  const judged = () => get<{ input: string }[]>(`/api/v1/terminal/commands/?session_id=${session?.id}`)
  await expect.poll(async () => (await judged()).filter(({ input }) => input.startsWith('touch')).length).toBe(2)
  await reviewer.goto(`${installation.url}/ui/terminal/commands`)
  await reviewer.getByRole('link', { name: '已复核' }).waitFor()
  await reviewer.getByRole('link', { name: '未通过复核' }).waitFor()
  await picture(reviewer, '9-commands')
  await reviewer.getByRole('link', { name: 'Dangerous' }).first().click()
  await reviewer.waitForURL(`**/assets/cmd-filters/${filter}?activeTab=rules&rule=${rule}`)
  await reviewer.getByRole('heading', { name: '优先级为 20 的规则' }).waitFor()
  await picture(reviewer, '10-rule')
  await reviewer.getByRole('link', { name: '试一试' }).click()
  await expect.poll(() => reviewer.getByRole('textbox', { name: '命令', exact: true }).inputValue()).toBe('touch')
  await reviewer.getByRole('button', { name: '测试' }).click()
  await reviewer.getByText('将请求以下人员复核：Administrator', { exact: true }).waitFor()
  await picture(reviewer, '11-tried')
  expect([...faults, ...faultsOfReviewer]).toEqual([])
})
