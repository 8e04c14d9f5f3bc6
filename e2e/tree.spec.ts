/** The tree beside a list, with a node of twenty thousand machines. */
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from './cluster/database-server.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'

const PASSWORD = 'Guarded-door-1'
const MACHINES = 20_000
/** The page is 800 px high, a line 28: those in view and the spare ones at both edges. */
const MOST_DRAWN = 100

let database: DatabaseServer
let installation: Installation
let browser: Browser

beforeAll(async () => {
  ;[database, browser] = await Promise.all([startDatabaseServer(), openBrowser()])
  const settings = { DATABASE_URL: database.url, SALLYPORT_ADMIN_PASSWORD: PASSWORD }
  installation = await startInstallation({ settings })
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(`
    WITH machine AS (
      INSERT INTO assets_asset (org_id, hostname, ip, platform)
      SELECT n.org_id, 'machine-' || lpad(i::text, 5, '0'), '10.1.' || i / 250 || '.' || i % 250, 'Linux'
      FROM assets_node n, generate_series(1, ${MACHINES}) i WHERE n.value = 'Default' RETURNING id
    )
    INSERT INTO assets_asset_node (asset_id, node_id)
    SELECT machine.id, n.id FROM machine, assets_node n WHERE n.value = 'Default'`)
  await client.end()
})

afterAll(async () => {
  await browser?.close()
  await installation?.stop()
  await database?.stop()
})

test('a node of 20,000 machines unfolds into the lines in view; keyboard and screen readers know all of them', async () => {
  const { page, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${installation.url}/ui/perms/asset-permissions`)
  const lines = page.getByRole('treeitem')
  const line = (number: number) => page.getByRole('treeitem', { name: `machine-${String(number).padStart(5, '0')}` })
  await page.getByRole('treeitem', { name: /^Default/ }).focus()
  if ((await lines.count()) === 1) await page.keyboard.press('ArrowRight')
  await line(1).waitFor()

  expect(await lines.count()).toBeLessThan(MOST_DRAWN)
  expect(await line(7).getAttribute('aria-posinset')).toBe('7')
  expect(await line(7).getAttribute('aria-setsize')).toBe(String(MACHINES))

  await page.keyboard.press('End')
  await expect.poll(() => line(MACHINES).evaluate((element) => element === document.activeElement)).toBe(true)
  await expect.poll(() => line(1).count()).toBe(0)
  await expect.poll(() => lines.count()).toBeLessThan(MOST_DRAWN)

  // The line that has the focus stays, however far the tree is scrolled.
  await page
    .getByRole('tree')
    .locator('xpath=ancestor::aside')
    .evaluate((box) => box.scrollTo(0, 0))
  await line(1).waitFor()
  expect(await line(MACHINES).evaluate((element) => element === document.activeElement)).toBe(true)

  await page.keyboard.type('machine-10000')
  await expect.poll(() => line(10_000).evaluate((element) => element === document.activeElement)).toBe(true)
  await expect
    .poll(async () => {
      const box = await line(10_000).boundingBox()
      return box && box.y > 0 && box.y < 800
    })
    .toBe(true)
  expect(faults).toEqual([])
})
