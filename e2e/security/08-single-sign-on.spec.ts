// Class 8: SSO. Signatures, audiences, states and nonces are tried against real providers beside each way of signing in (README.md); here, that no callback
// signs anybody in by itself, whatever it is handed and whether its provider is set up or not.
import { expect, test } from 'vitest'
import { admin, aJar, fine, PROFILE } from './visitor.ts'

const SAML = Buffer.from('<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"><Assertion/></samlp:Response>').toString(
  'base64',
)
const CALLBACKS: [string, string, string?][] = [
  ['GET', '/core/auth/openid/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/openid/callback/?error=access_denied&error_description=<script>alert(1)</script>'],
  ['GET', '/core/auth/cas/callback/?ticket=ST-1-guessed'],
  ['GET', '/core/auth/cas/login/?ticket=ST-1-guessed'],
  ['POST', '/core/auth/saml2/callback/', `SAMLResponse=${encodeURIComponent(SAML)}&RelayState=//evil.example`],
  ['GET', '/core/auth/wecom/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/dingtalk/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/core/auth/feishu/qr/login/callback/?code=guessed&state=guessed'],
  ['GET', '/api/v1/authentication/sso/login/?authkey=00000000-0000-4000-8000-000000000001&next=//evil.example'],
  ['GET', '/api/v1/authentication/sso/login/?authkey=%27%20OR%201=1--'],
]

test.each(CALLBACKS)('%s %s signs nobody in and leads nowhere else', async (method, path, form) => {
  const browser = aJar()
  const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
  const { status, headers, text } = await browser.call(method, path, form, form ? type : { accept: 'text/html' })
  expect(status).toBeLessThan(500)
  expect(headers.get('location') ?? '/').toMatch(/^\/(?![/\\])/)
  expect(text).not.toContain('<script>alert(1)')
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
})

test('links that sign somebody in are for system administrators to hand out, and only while they are switched on', async () => {
  const keeper = await admin()
  const { status, body } = await keeper.call('POST', '/api/v1/authentication/sso/login-url/', { username: 'admin' })
  expect([status, body.code]).toEqual([400, 'sso_auth_closed'])
  expect((await aJar().call('POST', '/api/v1/authentication/sso/login-url/', { username: 'admin' })).status).toBe(401)
  expect(fine(await keeper.call('GET', '/api/v1/settings/public/')).data).toBeDefined()
})
