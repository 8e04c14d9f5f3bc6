/** People who prove themselves by an authenticator app, for tests. */
import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { PASSWORD, type TestServer } from '../../../../test/server.ts'

const LOGIN = '/core/auth/login/'
export const BIND = '/core/auth/profile/otp/enable/bind/'

/** The code of `steps` time steps from now; those of the last and the next are taken as well. */
export const codeOf = (secret: string, steps: -1 | 0 | 1 = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
export const wrongCode = (secret: string) => String((Number(codeOf(secret)) + 500_000) % 1_000_000).padStart(6, '0')

/**
 * Somebody who is forced to use a second factor and has set an app up on a browser; the code used
 * for that was the last time step's.
 */
export async function aGuarded(server: TestServer, username: string): Promise<{ id: string; secret: string }> {
  const { id } = await server.aPerson(username)
  await server.admin.patch(`/api/v1/users/users/${id}/`, { mfa_level: 2 })
  const browser = openTestBrowser(server)
  const signIn = await browser.call('POST', LOGIN, { username, password: PASSWORD })
  expect(signIn.body).toEqual({ next: '/core/auth/profile/otp/enable/start/' })
  const { secret, uri } = (await browser.call('GET', BIND)).body
  expect(uri).toContain(secret)
  const bound = await browser.call('POST', BIND, { otp_code: codeOf(secret, -1) })
  expect([bound.status, bound.body]).toEqual([200, { next: LOGIN }])
  expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(401)
  return { id, secret }
}
