/** What tests of providers need of a server. */
import { expect } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import type { TestServer } from '../../../../test/server.ts'

export const LOCAL = '/core/auth/login/?admin=1'
export const settingsAt = (category: string) => `/api/v1/settings/setting/?category=${category}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export interface OutsideTest {
  aBrowser(): TestBrowser
  /** Follows one redirect of ours; answers where it leads. */
  visit(browser: TestBrowser, address: string): Promise<string>
  /**
   * Posts a form as a page of another site does, without our cookies; with '' as the origin, as
   * another server does.
   */
  post(
    address: string,
    fields: Record<string, string>,
    origin?: string,
  ): Promise<{ status: number; location: string; body: string }>
  /** The refusal on the sign-in page, which shows it once. */
  refusalOf(browser: TestBrowser): Promise<string | undefined>
  /** Title and address of a page with a message. */
  flashed(browser: TestBrowser, page: string): Promise<{ title: string; url: string }>
  whoIs(browser: TestBrowser): Promise<string | undefined>
  userRow(username: string): Promise<Record<string, unknown> | undefined>
  lastLog(username: string): Promise<Record<string, unknown> | undefined>
}

export function outsideTest(server: TestServer, site: string): OutsideTest {
  const root = () => server.admin.in('root')
  const first = async (path: string) => (await root().get(path)).body[0]
  return {
    aBrowser: () => openTestBrowser(server),
    async visit(browser, address) {
      const { status, headers } = await browser.call('GET', address.replace(site, ''))
      expect([302, 303]).toContain(status)
      return String(headers.location)
    },
    async post(address, fields, origin = 'https://idp.example') {
      const { statusCode, headers, body } = await server.kernel.app.inject({
        method: 'POST',
        url: address.replace(site, ''),
        headers: { ...FORM, ...(origin ? { origin } : {}), 'accept-language': 'en' },
        payload: new URLSearchParams(fields).toString(),
      })
      return { status: statusCode, location: String(headers.location ?? ''), body }
    },
    refusalOf: async (browser) => (await browser.call('GET', '/core/auth/login/')).body.refusal,
    flashed: async (browser, page) => (await browser.call('GET', page)).body,
    whoIs: async (browser) => (await browser.call('GET', '/api/v1/users/profile/')).body.username,
    userRow: (username) => first(`/api/v1/users/users/?username=${encodeURIComponent(username)}`),
    lastLog: (username) => first(`/api/v1/audits/login-logs/?username=${encodeURIComponent(username)}`),
  }
}
