/**
 * Sessions that survive: a page loaded again, a line that breaks, another device; through the real
 * server and a real browser.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { openBrowser, openContext, signIn } from './installation.ts'
import { describeMachine } from './machine.ts'
import { type Network, openNetwork } from './network.ts'
import { picturesIn } from './picture.ts'
import { screenText, sees } from './terminal-screen.ts'

const picture = picturesIn('reattach')
const PASSWORD = 'Guarded-1'

let cluster: Cluster
let sshd: Sshd
let browser: Browser
let network: Network

beforeAll(async () => {
  ;[cluster, sshd, browser] = await Promise.all([
    startCluster({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
    openBrowser(),
  ])
  network = await openNetwork(Number(new URL(cluster.url).port))
  await describeMachine(cluster, sshd, PASSWORD)
})
afterAll(async () => {
  await browser?.close()
  network?.close()
  await sshd?.close()
  await cluster?.stop()
})

async function openTerminal(page: Page): Promise<void> {
  await page.goto(`${network.url}/luna/`)
  await page.getByRole('treeitem', { name: 'web-1' }).dblclick()
  await sees(page, /[#$] /)
}

test('a page that is loaded again, a line that breaks, and a second window show the same shell; closing the tab ends it', async () => {
  const { page, context, faults } = await openContext(browser, network.url, 'en')
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, network.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await openTerminal(page)
  await page.keyboard.type('mark=$((6*7)); seq 1 60; echo "first-$mark"\n')
  await sees(page, /first-42/)

  await page.reload()
  await sees(page, /first-42/)
  await page.keyboard.type('echo "reloaded-$mark"\n')
  await sees(page, /reloaded-42/)
  await picture(page, 'reloaded')

  network.cut()
  await page.getByText('Connection lost, trying again…').waitFor()
  await page.keyboard.type('x')
  await page.getByText('Input is not sent meanwhile.').waitFor()
  await picture(page, 'lost')
  network.mend()
  await page.getByText('Connection lost, trying again…').waitFor({ state: 'detached' })
  await page.keyboard.type('echo "mended-$mark"\n')
  await sees(page, /mended-42/)
  expect(await screenText(page)).not.toContain('xecho')

  // The window is closed, another finds what waits.
  await page.close({ runBeforeUnload: false })
  // A visitor before the server has noticed is offered nothing.
  const waiting = async () =>
    (await (await context.request.get(`${network.url}/koko/sessions/`)).json()) as { is_waiting: boolean }[]
  await expect.poll(async () => (await waiting()).map(({ is_waiting }) => is_waiting)).toEqual([true])
  const second = await context.newPage()
  second.on('dialog', (dialog) => void dialog.accept())
  await second.goto(`${network.url}/luna/`)
  await second.getByText('Sessions waiting for you', { exact: true }).waitFor()
  await picture(second, 'waiting')
  await second.getByRole('button', { name: 'Resume' }).click()
  await sees(second, /mended-42/)
  await picture(second, 'gone-on')
  await second.keyboard.type('echo "second-$mark"\n')
  await sees(second, /second-42/)

  await second.getByRole('button', { name: 'Close web-1' }).click()
  const own = () => second.evaluate(() => fetch('/koko/sessions/').then((answer) => answer.json()))
  await expect.poll(own).toEqual([])
  await second.reload()
  await second.getByText('web-1').first().waitFor()
  expect(await second.locator('.wt-tab').count()).toBe(0)
  expect(faults.filter((fault) => !/ERR_|WebSocket connection/.test(fault))).toEqual([])
  await context.close()
})

test('terminals beside each other are in their places after the page is loaded again; one that has ended offers to connect', async () => {
  const { page, context, faults } = await openContext(browser, network.url, 'en')
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, network.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await openTerminal(page)
  await page.keyboard.type('echo "le""ft"\n')
  await sees(page, /left/)
  await page.getByRole('treeitem', { name: 'web-1' }).dblclick()
  await page.getByRole('tab', { name: 'web-1 (2)' }).waitFor()
  await sees(page, /[#$]\s*$/)
  await page.getByRole('button', { name: 'Two beside each other' }).click()
  await page.locator('.wt-place[data-active=true] .xterm-helper-textarea').focus()
  await page.keyboard.type('exit\n')
  const ended = page.getByRole('button', { name: 'Reconnect' })
  await ended.waitFor()

  await page.reload()
  await page.locator('.wt-places[data-layout="2"]').waitFor()
  await ended.waitFor()
  await expect.poll(() => page.locator('.wt-pane:not([hidden])').count()).toBe(2)
  await expect.poll(() => page.locator('.xterm-rows').first().textContent()).toMatch(/left/)
  await picture(page, 'reloaded-beside')
  await ended.click()
  await expect.poll(() => page.locator('.wt-pane:not([hidden]) .xterm-rows').count()).toBe(2)
  expect(faults).toEqual([])
  await context.close()
})

test('[A2.67] a session is shared by link and code, typed in by both, locked from its page, and its history and activity tell', async () => {
  const { page, context, faults } = await openContext(browser, network.url, 'en')
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, network.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await openTerminal(page)
  await page.keyboard.type('mark=$((6*7)); echo "owner-$mark"\n')
  await sees(page, /owner-42/)
  await page.getByRole('button', { name: 'Share' }).click()
  // The dialog comes over the line that is cut next.
  await page.getByRole('button', { name: 'Create a link' }).waitFor()
  await page.getByLabel('People who join may').click()
  await page.getByTitle('Watch and type').last().click()
  await picture(page, 'share')
  // Asked for while the line is broken, the link comes when it is back.
  network.cut()
  await page.getByText('Connection lost, trying again…').waitFor()
  await page.getByRole('button', { name: 'Create a link' }).click()
  network.mend()
  const link = await page.locator('.wt-share-link').textContent().then(String)
  const code = await page.locator('.wt-share-code').textContent().then(String)
  await picture(page, 'shared')
  // A tooltip that still shows, or comes, would take the key for itself.
  await page.mouse.move(0, 0)
  await expect.poll(() => page.getByRole('tooltip').filter({ visible: true }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })

  const guest = await context.newPage()
  await guest.goto(link)
  await guest.getByLabel('The code that came with the link').fill('zz99')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.getByText('The code is wrong').waitFor()
  await picture(guest, 'code')
  await guest.getByLabel('The code that came with the link').fill(code)
  await guest.getByRole('button', { name: 'Join' }).click()
  await sees(guest, /owner-42/)
  await guest.keyboard.type('echo "guest-$mark"\n')
  await sees(guest, /guest-42/)
  await sees(page, /guest-42/)
  await picture(guest, 'joined')
  await page.getByRole('button', { name: 'People in this session' }).click()
  await page.getByRole('button', { name: 'Remove' }).waitFor()
  await picture(page, 'users')
  await page.getByRole('button', { name: 'Remove' }).click()
  await sees(guest, /You were removed from this session/)

  const sessions: { id: string; is_waiting: boolean }[] = await page.evaluate(() =>
    fetch('/koko/sessions/').then((answer) => answer.json()),
  )
  const own = sessions.find(({ is_waiting }) => !is_waiting)
  const detail = await context.newPage()
  await detail.goto(`${network.url}/ui/terminal/sessions/${own?.id}`)
  await detail.getByRole('button', { name: 'Lock the input' }).click()
  await sees(page, /has locked the input of this session/)
  await picture(page, 'locked')
  await detail.getByRole('button', { name: 'Unlock the input' }).click()
  await sees(page, /has unlocked the input/)
  await detail.getByRole('tab', { name: 'History' }).click()
  await detail.getByText('Input unlocked').waitFor()
  await picture(detail, 'history')
  await detail.getByRole('tab', { name: 'Activity' }).click()
  await detail.getByText('The code is wrong').waitFor()
  await picture(detail, 'activity')
  expect(faults.filter((fault) => !/ERR_|WebSocket connection/.test(fault))).toEqual([])
  await context.close()
})
