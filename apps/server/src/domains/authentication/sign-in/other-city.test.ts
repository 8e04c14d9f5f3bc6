import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { writeCityDatabase } from '../../audits/city-database-fixture.ts'
import { settingsOf } from '../../settings/index.ts'

const [LONDON, LONDON_TOO, SHENZHEN, NOWHERE, HOME] = [
  '81.2.69.142',
  '81.2.69.7',
  '120.24.78.68',
  '198.51.100.1',
  '10.0.0.9',
]

let server: TestServer
const folder = mkdtempSync(join(tmpdir(), 'sallyport-cities-'))

beforeAll(async () => {
  const file = join(folder, 'cities.mmdb')
  writeCityDatabase(file, {
    '81.2.69.0/24': { city: { en: 'London', 'zh-CN': '伦敦' }, country: { en: 'United Kingdom', 'zh-CN': '英国' } },
    '120.24.0.0/14': { city: { en: 'Shenzhen', 'zh-CN': '深圳' }, country: { en: 'China', 'zh-CN': '中国' } },
  })
  server = await openTestServer({ SALLYPORT_TRUSTED_PROXIES: '127.0.0.1', SALLYPORT_SETTING_CITY_DATABASE_FILE: file })
})
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function signInFrom(username: string, address: string): Promise<void> {
  const answer = await server.call('POST', '/api/v1/authentication/tokens/', {
    body: { username, password: PASSWORD },
    headers: { 'x-forwarded-for': address },
  })
  expect(answer.status).toBe(201)
}

async function messagesTo(person: Caller): Promise<string[]> {
  const rows = (await person.get('/api/v1/notifications/site-message/')).body as { subject: string; message: string }[]
  return rows.flatMap(({ subject, message }) => (/another city|异地/.test(subject) ? [message] : []))
}

test('[A3.31] a person who signs in from another city than the last time gets a notice in their language; the own network and unknown places do not count', async () => {
  const person = await server.aPerson('walker')
  await server.kernel.pool.query(`UPDATE users_user SET language = 'cn' WHERE id = $1`, [person.id])
  for (const address of [LONDON, HOME, NOWHERE, LONDON_TOO]) await signInFrom('walker', address)
  expect(await messagesTo(person)).toEqual([])
  await signInFrom('walker', SHENZHEN)
  expect(await messagesTo(person)).toEqual([
    expect.stringContaining(
      '您的账号从 中国 深圳（地址 120.24.78.68）登录，上一次登录地点为 英国 伦敦（地址 81.2.69.7）。',
    ),
  ])
  await settingsOf(server.kernel).set('SECURITY_CHECK_DIFFERENT_CITY_LOGIN', false)
  await signInFrom('walker', LONDON)
  expect(await messagesTo(person)).toHaveLength(1)
})

test('the log of sign-ins and the list of where people are signed in name the city in the language of who reads', async () => {
  await server.aPerson('rambler')
  await signInFrom('rambler', LONDON)
  const cities = async (language: string) => {
    const headers = { authorization: `Bearer ${server.admin.token}`, cookie: `django_language=${language}` }
    const { body } = await server.call('GET', '/api/v1/audits/login-logs/?username=rambler&order=-datetime', {
      headers,
    })
    return body.map(({ city }: { city: string }) => city)
  }
  expect(await cities('en')).toEqual(['London, United Kingdom', 'LAN'])
  expect(await cities('zh-hans')).toEqual(['英国 伦敦', 'LAN'])
})
