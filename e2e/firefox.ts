/** Firefox as Debian ships it, by WebDriver BiDi (W3C): Playwright drives a build of its own alone. */
import { type Browser, launch } from 'puppeteer-core'

/** A browser without a profile, and without anything that would look for the network. */
export function openFirefox(): Promise<Browser> {
  return launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: {
      'intl.accept_languages': 'en-US',
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
    },
  })
}
