// Class 12: outbound requests: no SSRF from tests of settings; TLS verified by default; a saved
// secret goes to its saved server only.

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Field } from '@sallyport/contract/define.ts'
import { SETTING_CATEGORIES } from '@sallyport/contract/settings/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, anOrganization, aPerson, type Person } from './visitor.ts'

/** Listens where nobody should be led; logs each client with its first bytes. */
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
    // Not asked first, since clients of mail wait for a greeting.
    socket.end('HTTP/1.1 200 OK\r\nsecret: of the inside\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(trap, 'listening')
})
afterAll(() => trap?.close())
const port = () => (trap.address() as { port: number }).port

/** All that a test of a directory asks for but its address. */
const DIRECTORY = {
  AUTH_LDAP_BIND_DN: 'cn=x',
  AUTH_LDAP_BIND_PASSWORD: 'x',
  AUTH_LDAP_SEARCH_OU: 'ou=x',
  AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
  AUTH_LDAP_USER_ATTR_MAP: { username: 'uid' },
}

test('only a system administrator has settings, messengers, storages and forwarding tried; for anybody else the server calls nobody', async () => {
  const org = await anOrganization()
  const before = heard.length
  const settings = '/api/v1/settings'
  const storage = '00000000-0000-4000-8000-000000000001'
  const tests: [string, string, unknown?][] = [
    ['POST', `${settings}/ldap/testing/config/`, { ...DIRECTORY, AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${port()}` }],
    ['POST', `${settings}/ldap/testing/login/`, { username: 'x', password: 'x' }],
    ['GET', `${settings}/ldap/users/`],
    ['GET', `${settings}/ldap/cache/refresh/`],
    ['POST', `${settings}/ldap/users/import/`, { username_list: ['x'] }],
    ['POST', `${settings}/mail/testing/`, { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: String(port()) }],
    ...['alibaba', 'tencent', 'wecom', 'dingtalk', 'feishu', 'slack', 'teams'].map(
      (name): [string, string, unknown] => ['POST', `${settings}/${name}/testing/`, {}],
    ),
    ['POST', '/api/v1/audits/forwarding/test/', { target: 'webhook' }],
    ['GET', `/api/v1/terminal/replay-storages/${storage}/test-connective/`],
    ['GET', `/api/v1/terminal/command-storages/${storage}/test-connective/`],
  ]
  for (const role of ['Admin', 'Auditor', 'User']) {
    const person = await aPerson({ orgRoles: [role], org })
    for (const [method, path, body] of tests) {
      const { status } = await person.call(method, path, body)
      expect(`${role} ${path} ${status}`).toBe(`${role} ${path} 403`)
    }
  }
  expect(heard.length).toBe(before)
})

test('a test of the directory or of mail does not repeat what it was answered by whatever listened there', async () => {
  for (const [path, body] of [
    ['/api/v1/settings/ldap/testing/config/', { ...DIRECTORY, AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${port()}` }],
    [
      '/api/v1/settings/mail/testing/',
      {
        EMAIL_HOST: '127.0.0.1',
        EMAIL_PORT: String(port()),
        EMAIL_HOST_USER: 'keeper@example.com',
        // One that is stored would have to be entered again for this address.
        EMAIL_HOST_PASSWORD: 'x',
      },
    ],
  ] as const) {
    const before = heard.length
    const { status, text } = await keeper.call('POST', path, body)
    expect(`${path} ${status} ${heard.length > before}`).toBe(`${path} 400 true`)
    expect(text).not.toMatch(/of the inside|HTTP/)
  }
})

/** Every setting that is a web address, by its category. */
const WEB_ADDRESSES = Object.entries(SETTING_CATEGORIES)
  .filter(([category]) => category !== 'all')
  .flatMap(([category, fields]) =>
    Object.entries<Field>(fields).flatMap(([name, { type }]) => (type === 'url' ? [[category, name] as const] : [])),
  )
const NO_WEB_ADDRESSES = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'gopher://127.0.0.1']

test('settings that are web addresses take no other, the directory’s takes addresses of directories alone', async () => {
  expect(WEB_ADDRESSES).toContainEqual(['basic', 'SITE_URL'])
  const tries = WEB_ADDRESSES.flatMap(([category, name]) => NO_WEB_ADDRESSES.map((value) => [category, name, value]))
  for (const value of ['http://169.254.169.254/', ...NO_WEB_ADDRESSES])
    tries.push(['ldap', 'AUTH_LDAP_SERVER_URI', value])
  for (const [category, name, value] of tries) {
    const { status, body } = await keeper.call('PATCH', `/api/v1/settings/setting/?category=${category}`, {
      [name ?? '']: value,
    })
    expect(`${name} ${value} ${status} ${Object.keys(body)}`).toBe(`${name} ${value} 400 ${name}`)
  }
})
