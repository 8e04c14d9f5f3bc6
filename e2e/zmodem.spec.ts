/**
 * Files by `sz` and `rz` in the web terminal: through the real server, a real sshd, the real
 * programs and a real browser.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { openBrowser, openContext, signIn } from './installation.ts'
import { describeMachine } from './machine.ts'
import { picturesIn } from './picture.ts'
import { sees } from './terminal-screen.ts'

const picture = picturesIn('zmodem')
const PASSWORD = 'Guarded-1'
const folder = mkdtempSync(join(tmpdir(), 'sallyport-zmodem-'))
/** Files of the machine. */
const there = join(folder, 'there')

let cluster: Cluster
let sshd: Sshd
let browser: Browser

beforeAll(async () => {
  mkdirSync(there)
  ;[cluster, sshd, browser] = await Promise.all([
    startCluster({ nodes: 2, settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
    openBrowser(),
  ])
  await describeMachine(cluster, sshd, PASSWORD)
})
afterAll(async () => {
  await browser?.close()
  await sshd?.close()
  await cluster?.stop()
  rmSync(folder, { recursive: true })
})

const sha = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
let count = 0
async function shellWorks(page: Page): Promise<void> {
  const n = ++count
  // Until the shell is back, a program that is leaving may still take keys.
  await sees(page, /[#$]\s*$/)
  // Typed for the shell, whatever has the focus.
  await page.locator('.wt-pane:not([hidden]) .xterm-helper-textarea').focus()
  await page.keyboard.type(`echo works-$((${n}+0))\n`)
  await sees(page, `works-${n}`)
}

async function openTerminal(language: 'en' | 'zh-hans') {
  const opened = await openContext(browser, cluster.url, language)
  const { page } = opened
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${cluster.url}/luna/`)
  await page.getByRole('treeitem', { name: 'web-1' }).dblclick()
  await sees(page, /[#$] /)
  await page.keyboard.type(`cd ${there}; clear\n`)
  return opened
}

test('sz brings a file into the downloads, rz takes one that is chosen, and the shell goes on after each', async () => {
  const { context, page, faults } = await openTerminal('en')
  writeFileSync(join(there, 'down.bin'), randomBytes(3_000_000))
  await page.keyboard.type('sz down.bin\n')
  await page.getByText('The machine sends you a file:').waitFor()
  await picture(page, 'offered')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('down.bin')
  expect(sha(await download.path())).toBe(sha(join(there, 'down.bin')))
  await sees(page, 'down.bin was downloaded, 3000000 bytes')
  await shellWorks(page)

  writeFileSync(join(folder, 'up.bin'), randomBytes(3_000_000))
  await page.keyboard.type('rz\n')
  await page.getByText('The machine waits for files.').waitFor()
  await picture(page, 'choosing')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await choosing).setFiles(join(folder, 'up.bin'))
  await sees(page, 'up.bin was uploaded, 3000000 bytes')
  expect(sha(join(there, 'up.bin'))).toBe(sha(join(folder, 'up.bin')))
  await shellWorks(page)

  // The recording tells of both, in its list and on its time line, where a press goes to.
  await page.keyboard.type('exit\n')
  const finished = async () => {
    const answer = await context.request.get(`${cluster.url}/api/v1/terminal/sessions/?is_finished=1&limit=1&offset=0`)
    const { results } = (await answer.json()) as { results: { id: string; has_replay: boolean }[] }
    return results[0]?.has_replay ? results[0].id : undefined
  }
  await expect.poll(finished).toBeDefined()
  await page.goto(`${cluster.url}/luna/replay/${await finished()}`)
  await page.getByRole('button', { name: /File from the asset: .*down\.bin/ }).waitFor()
  const upload = page.getByRole('button', { name: /File to the asset: .*up\.bin/ })
  await upload.click()
  await page.locator('.rp-tick-file').nth(1).waitFor()
  await picture(page, 'replayed')
  expect(faults).toEqual([])
  await context.close()
})

test('a transfer is cancelled by its button, by Ctrl+C, and by a page that is loaded again', async () => {
  const { context, page, faults } = await openTerminal('zh-hans')
  writeFileSync(join(there, 'more.bin'), randomBytes(1000))
  await page.keyboard.type('rz\n')
  await page.getByText('资产正在等待文件，请拖放到此处或选择文件。').waitFor()
  await picture(page, 'choosing-zh')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.locator('.wt-left-away').click({ position: { x: 370, y: 400 } })
  await picture(page, 'choosing-narrow-zh')
  await page.getByRole('button', { name: '取消传输' }).click()
  await page.getByText('资产正在等待文件').first().waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await shellWorks(page)

  await page.keyboard.type('sz more.bin\n')
  await page.getByText('资产向您发送文件：').waitFor()
  // Typing takes no file; giving up works from the keyboard.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+C')
  await page.getByText('资产向您发送文件：').waitFor({ state: 'detached' })
  await shellWorks(page)

  await page.keyboard.type('sz more.bin\n')
  await page.getByText('资产向您发送文件：').waitFor()
  await page.reload()
  await sees(page, '文件传输已中断')
  await shellWorks(page)
  expect(faults).toEqual([])
  await context.close()
})
