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
  expect(await console.getByRole('alert').innerText()).toContain('The database does not answer: try again in a moment')
  expect(await visitor.getByRole('alert').innerText()).toBe(
    'The database does not answer. This page tries again by itself.',
  )

  await database.startAgain()
  await console.getByRole('link', { name: 'Administrator' }).first().waitFor()
  await visitor.getByLabel('Password').waitFor()
})
