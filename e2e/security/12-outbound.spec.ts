// Class 12: outbound requests: no SSRF from tests of settings; TLS verified by default; a saved
// secret goes to its saved server only.

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, anOrganisation, aPerson, type Person } from './visitor.ts'

/** Listens where nobody should be led; whoever comes is noted with their first words. */
let trap: Server
const heard: string[] = []
let keeper: Person
beforeAll(async () => {
  keeper = await admin()
  trap = createServer((socket) => {
    heard.push('')
    const n = heard.length - 1
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard[n] = `${heard[n]}${bytes}`
    })
    // A mail server speaks first.
    socket.end('HTTP/1.1 200 OK\r\nsecret: of the inside\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(trap, 'listening')
})
afterAll(() => trap?.close())
const port = () => (trap.address() as { port: number }).port

test('nobody but a system administrator has the server try what the settings could lead to', async () => {
  const boss = await aPerson({ orgRoles: ['Admin'], org: await anOrganisation() })
  const before = heard.length
  for (const [path, body] of [
    ['/api/v1/settings/ldap/testing/config/', { AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${port()}` }],
    ['/api/v1/settings/mail/testing/', { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: String(port()) }],
    ['/api/v1/settings/ldap/testing/login/', { username: 'x', password: 'x' }],
    ['/api/v1/settings/wecom/testing/', { WECOM_CORPID: 'x', WECOM_AGENTID: 'x', WECOM_SECRET: 'x' }],
    ['/api/v1/settings/dingtalk/testing/', { DINGTALK_AGENTID: 'x', DINGTALK_APPKEY: 'x', DINGTALK_APPSECRET: 'x' }],
    ['/api/v1/settings/feishu/testing/', { FEISHU_APP_ID: 'x', FEISHU_APP_SECRET: 'x' }],
    ['/api/v1/settings/alibaba/testing/', { SMS_TEST_PHONE: '1' }],
    ['/api/v1/settings/tencent/testing/', { SMS_TEST_PHONE: '1' }],
    ['/api/v1/settings/ldap/users/', undefined],
  ] as const) {
    const { status } = await boss.call(body ? 'POST' : 'GET', path, body)
    expect(`${path} ${status}`).toBe(`${path} 403`)
  }
  expect(heard.length).toBe(before)
})

test('a test of LDAP or mail does not repeat what it was answered by whatever listened there', async () => {
  const before = heard.length
  const tries = [
    await keeper.call('POST', '/api/v1/settings/ldap/testing/config/', {
      AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${port()}`,
      AUTH_LDAP_BIND_DN: 'cn=x',
      AUTH_LDAP_BIND_PASSWORD: 'x',
      AUTH_LDAP_SEARCH_OU: 'ou=x',
      AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: { username: 'uid' },
    }),
    await keeper.call('POST', '/api/v1/settings/mail/testing/', {
      EMAIL_HOST: '127.0.0.1',
      EMAIL_PORT: String(port()),
      EMAIL_HOST_USER: 'x@example.test',
      EMAIL_HOST_PASSWORD: 'x',
      EMAIL_FROM: 'x@example.test',
      EMAIL_RECIPIENT: 'x@example.test',
    }),
  ]
  expect(heard.length).toBe(before + tries.length)
  for (const { status, text } of tries) {
    expect(status).toBe(400)
    expect(text).not.toContain('of the inside')
  }
})

test('addresses that the server or a browser would follow are web addresses, or of the kind that the setting is for', async () => {
  for (const [category, name, values] of [
    ['basic', 'SITE_URL', ['javascript:alert(1)', 'file:///etc/passwd', 'gopher://127.0.0.1']],
    ['basic', 'FORGOT_PASSWORD_URL', ['javascript:alert(1)', 'data:text/html,x']],
    ['ldap', 'AUTH_LDAP_SERVER_URI', ['http://169.254.169.254/', 'file:///etc/passwd', 'gopher://127.0.0.1']],
  ] as const)
    for (const value of values) {
      const { status, body } = await keeper.call('PATCH', `/api/v1/settings/setting/?category=${category}`, {
        [name]: value,
      })
      expect(`${name} ${value} ${status} ${Object.keys(body)}`).toBe(`${name} ${value} 400 ${name}`)
    }
})
