/**
 * Passkeys in a real browser, whose authenticator is Chromium's virtual one: it speaks to pages as
 * a device would.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { picturesIn } from './picture.ts'

const pictureOf = picturesIn('passkeys')
const PASSWORD = 'Guarded-door-1'

let installation: Installation
let browser: Browser
beforeAll(async () => {
  ;[installation, browser] = await Promise.all([
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    openBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await installation?.stop()
})

const picture = (page: Page, name: string) => pictureOf(page, name, { fullPage: true })

test('a passkey is added on the profile, is in for a code in the dialog, is the second factor after the password, signs in without one, and is removed', async () => {
  // Browsers know no passkeys for addresses.
  const url = installation.url.replace('127.0.0.1', 'localhost')
  const { page, context, faults } = await openContext(browser, url, 'en')
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const card = page.locator('section.panel', { has: page.getByRole('heading', { name: 'Passkeys' }) })
  const dialog = page.getByRole('dialog')

  await signIn(page, url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${url}/ui/users/profile`)
  await card.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Office laptop')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await picture(page, 'add')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Switch MFA on' }).click()
  await card.getByText('Office laptop').waitFor()
  await picture(page, 'profile')

  // Off goes only with the factor itself, which was not proven yet; and a question that wants it
  // must not lie over its dialog.
  const verify = page.getByRole('dialog', { name: 'Verify MFA' })
  await card.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await verify.getByRole('button', { name: 'Close' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await card.getByRole('switch', { checked: true }).click()
  await picture(page, 'verify')
  await verify.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('MFA is off').waitFor()
  await card.getByRole('switch', { checked: false }).click()
  await card.getByRole('switch', { checked: true }).waitFor()

  await page.goto(`${url}/core/auth/logout/`)
  await signIn(page, url, 'admin', PASSWORD)
  await page.waitForURL('**/login/mfa/**')
  await picture(page, 'second-factor')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('navigation', { name: 'Main menu' }).waitFor()

  await page.goto(`${url}/core/auth/logout/`)
  await page.goto(`${url}/core/auth/login/?next=/ui/users/profile`)
  await picture(page, 'sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL('**/ui/users/profile')
  await card.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await card.getByText('Office laptop').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
