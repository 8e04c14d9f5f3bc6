/** Moving in from JumpServer as an administrator does it in an evening, by the page alone. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assetRows2 } from '../apps/server/src/admin/import-jumpserver/fixtures/assets-fixture.ts'
import {
  type Installations,
  startInstallations,
} from '../apps/server/src/admin/import-jumpserver/fixtures/installations-fixture.ts'
import { peopleRows } from '../apps/server/src/admin/import-jumpserver/fixtures/people-fixture.ts'
import { KEY } from '../apps/server/src/admin/import-jumpserver/fixtures/sealed-fixture.ts'
import { V2_19 } from '../apps/server/src/admin/import-jumpserver/fixtures/tables-fixture.ts'
import { violations } from './axe.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { picturesIn } from './picture.ts'
import { wordsShown } from './words.ts'

const PASSWORD = 'Guarded-door-1'
const picture = picturesIn('move-in')

let installation: Installation
let theirs: Installations
let browser: Browser
beforeAll(async () => {
  ;[installation, theirs, browser] = await Promise.all([
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startInstallations(),
    openBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await theirs?.close()
  await installation?.stop()
})

async function fill(page: Page, address: string): Promise<void> {
  const { hostname, port, pathname } = new URL(address)
  await page.getByLabel('Host', { exact: true }).fill(hostname)
  await page.getByLabel('Port', { exact: true }).fill(port)
  await page.getByLabel('Database', { exact: true }).fill(pathname.slice(1))
  await page.getByLabel('Username', { exact: true }).fill('reader')
  await page.getByLabel('Password', { exact: true }).fill('read only')
  await page.getByLabel('SECRET_KEY', { exact: true }).fill(KEY)
}

test('look, try, import over a reload, and take back, with the report as a file', async () => {
  const source = await theirs.make('mysql', V2_19, { ...peopleRows('v2.19'), ...assetRows2 })
  const { page, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${installation.url}/ui/xpack/move-in`)
  await fill(page, source.address)
  // Enter in a field begins with the harmless one.
  await page.getByLabel('SECRET_KEY', { exact: true }).press('Enter')
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByRole('heading', { name: 'Look at the database: JumpServer 2.19 Done' }).waitFor()
  await result.getByRole('row', { name: 'Users 10' }).waitFor()

  await page.getByRole('button', { name: 'Try the import' }).click()
  await result.getByText('It was only tried: nothing was written.').waitFor()
  await result
    .getByText(/^Stays behind/)
    .first()
    .click()
  await picture(page, 'tried-en', { fullPage: true })
  expect(await violations(page, 'tried')).toEqual([])
  // On a phone nothing but a table is wider than the screen.
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await picture(page, 'phone-en', { fullPage: true })
  await page.setViewportSize({ width: 1280, height: 800 })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    result.getByRole('button', { name: 'Whole report' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('import-jumpserver.txt')
  expect(readFileSync(await file.path(), 'utf8')).toContain('A component: it registers here by itself: [KoKo]-box')

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('status', { name: 'Progress' }).waitFor()
  await page.reload()
  await result.getByRole('heading', { name: 'Import: JumpServer 2.19 Done' }).waitFor()
  // Neither the browser nor the server has kept the secrets.
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
  expect(await page.getByLabel('SECRET_KEY', { exact: true }).inputValue()).toBe('')

  await page.getByRole('button', { name: 'Take back', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take back', exact: true }).click()
  await result.getByRole('heading', { name: 'Take back: jumpserver Done' }).waitFor()
  await expect.poll(() => page.getByRole('region', { name: 'The way back' }).count()).toBe(0)
  await picture(page, 'taken-back-en', { fullPage: true })
  expect(faults).toEqual([])
})

test('in Chinese, nothing of the page is English, and there is nothing to take back yet', async () => {
  const { page, faults } = await openContext(browser, installation.url, 'zh-hans')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${installation.url}/ui/xpack/move-in`)
  await page.getByRole('heading', { name: '从 JumpServer 迁移' }).waitFor()
  await page.getByRole('button', { name: '试运行导入' }).waitFor()
  // Runs of the other test name them, and the frame names the person.
  const data = new Set([
    'Administrator(admin)',
    'Administrator',
    'Default',
    'jumpserver',
    'mysql://reader',
    'Community',
  ])
  expect(await wordsShown(page, data)).toEqual([])
  expect(await page.getByRole('region', { name: '撤回导入' }).count()).toBe(0)
  expect(faults).toEqual([])
})
