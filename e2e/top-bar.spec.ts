/** The bar above every page, on a desk and on a phone. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'

const PASSWORD = 'Guarded-door-1'
let installation: Installation
let browser: Browser

beforeAll(async () => {
  ;[installation, browser] = await Promise.all([
    startInstallation({ arguments: ['--demo'], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    openBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await installation?.stop()
})

test('[A2.73] every button of the bar shows its picture at any width, the bell without messages too', async () => {
  const { page, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.getByRole('button', { name: 'Site messages', exact: true }).waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const buttons = page.locator('.top-bar .bar-button')
    expect(await buttons.count()).toBeGreaterThanOrEqual(5)
    const blank = await buttons.evaluateAll((all) =>
      all.filter((button) => !button.querySelector('svg')?.getBoundingClientRect().width).map((button) => button.ariaLabel),
    )
    expect([width, blank]).toEqual([width, []])
  }
  expect(faults).toEqual([])
})
