/** What people see who open a page while the database is away, and when it is back. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from './cluster/database-server.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'

const PASSWORD = 'Guarded-door-1'

let database: DatabaseServer
let installation: Installation
let browser: Browser

beforeAll(async () => {
  ;[database, browser] = await Promise.all([startDatabaseServer(), openBrowser()])
  const settings = { DATABASE_URL: database.url, SALLYPORT_ADMIN_PASSWORD: PASSWORD }
  installation = await startInstallation({ settings })
})

afterAll(async () => {
  await browser?.close()
  await installation?.stop()
  await database?.stop()
})

test('console and sign-in page say that the database is away, and go on by themselves when it is back', async () => {
  const { url } = installation
  const { page: console } = await openContext(browser, url, 'en')
  await signIn(console, url, 'admin', PASSWORD)
  await console.waitForURL('**/ui/**')
  const { page: visitor } = await openContext(browser, url, 'en')

  await database.shutDown()
  await console.goto(`${url}/ui/users/users`)
  await visitor.goto(`${url}/core/auth/login/`)
  await console.getByRole('alert').filter({ hasText: 'The database does not answer: try again in a moment' }).waitFor()
  await expect
    .poll(() => visitor.getByRole('alert').textContent())
    .toBe('The database does not answer. This page tries again by itself.')

  await database.startAgain()
  await console.getByRole('link', { name: 'Administrator' }).first().waitFor()
  await visitor.getByLabel('Password').waitFor()
})

test('an open console says so calmly, keeps what it shows and what was typed, and goes on by itself', async () => {
  const { url } = installation
  const { page } = await openContext(browser, url, 'en')
  await signIn(page, url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${url}/ui/users/users`)
  const { page: writer } = await openContext(browser, url, 'en')
  await signIn(writer, url, 'admin', PASSWORD)
  await writer.waitForURL('**/ui/**')
  await writer.goto(`${url}/ui/users/groups/create`)
  await writer.getByLabel('Name').fill('Night shift')
  await page.getByRole('link', { name: 'Administrator', exact: true }).waitFor()

  await database.shutDown()
  const away = 'The database does not answer. This page may be out of date; it tries again by itself.'
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('alert').filter({ hasText: away }).waitFor()
  await page.getByText(/^As of \d/).waitFor()
  expect(await page.getByRole('link', { name: 'Administrator', exact: true }).isVisible()).toBe(true)
  // A page that was not open yet waits in its own shape.
  await page.getByRole('link', { name: 'User groups', exact: true }).click()
  await page.getByRole('heading', { name: 'User groups', exact: true }).waitFor()
  expect(await page.locator('.message').count()).toBe(0)

  await writer.getByRole('button', { name: 'Submit' }).click()
  await writer.getByText('Create error: The database does not answer: try again in a moment').waitFor()
  expect(await writer.getByLabel('Name').inputValue()).toBe('Night shift')

  // It is alone for some seconds.
  const reported = Promise.all([page, writer].map((one) => one.getByText('The database answers again.').waitFor()))
  await database.startAgain()
  await reported
  await page.getByRole('link', { name: 'Default', exact: true }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await writer.getByLabel('Name').inputValue()).toBe('Night shift')
  await writer.getByRole('button', { name: 'Submit' }).click()
  await writer.getByRole('link', { name: 'Night shift' }).first().waitFor()
})
