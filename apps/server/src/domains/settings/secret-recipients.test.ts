import type { SettingField } from '@sallyport/contract/settings/define.ts'
import { ALL_SETTINGS, SETTING_CATEGORIES, type SettingName } from '@sallyport/contract/settings/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { settingsOf } from './index.ts'
import { isSecret } from './reading.ts'

const settings: Readonly<Record<string, SettingField>> = ALL_SETTINGS
const SAVED = 'the saved secret'

let server: TestServer
let admin: Caller
beforeAll(async () => {
  server = await openTestServer()
  admin = server.admin
})
afterAll(() => server?.close())

test('every secret setting says where it is sent, and to nothing that is not there', () => {
  const secrets = Object.keys(settings).filter(isSecret)
  expect(secrets.length).toBeGreaterThan(8)
  expect(secrets.filter((name) => !settings[name]?.sentTo)).toEqual([])
  for (const name of secrets) {
    const { addresses = [], encryptedBy = [], uncheckedBy = [] } = settings[name]?.sentTo ?? {}
    expect([...addresses, ...encryptedBy, ...uncheckedBy].filter((one) => !settings[one])).toEqual([])
  }
})

/** Addresses in categories with secrets to which none of these is sent. */
const NO_SECRET_GOES_TO: readonly string[] = [
  'AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT', // where browsers go
  'AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT',
  'AUTH_OPENID_PROVIDER_JWKS_ENDPOINT', // read without proving anything
  'AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT', // gets the person's own access token
  'BASE_SITE_URL', // our own
  'SAML2_IDP_METADATA_URL',
  'SAML2_IDP_METADATA_XML',
  'SLACK_WEBHOOK_URL', // secrets themselves
  'TEAMS_PERSON_WEBHOOK_URL',
  'TEAMS_WEBHOOK_URL',
]

test('every address beside a secret is one that the secret is bound to', () => {
  const bound = new Set(
    Object.values(settings).flatMap(({ sentTo }) => [
      ...(sentTo?.addresses ?? []),
      ...(sentTo?.encryptedBy ?? []),
      ...(sentTo?.uncheckedBy ?? []),
    ]),
  )
  const { all: _, ...categories } = SETTING_CATEGORIES
  const beside = Object.values(categories)
    .filter((fields) => Object.keys(fields).some(isSecret))
    .flatMap((fields) => Object.keys(fields))
    .filter((name) => /HOST$|PORT$|SERVER|URL|URI|ENDPOINT|METADATA|_USE_(SSL|TLS)|IGNORE_SSL/.test(name))
  expect(beside.length).toBeGreaterThan(10)
  const loose = [...new Set(beside)].filter((name) => !bound.has(name))
  expect(loose.sort()).toEqual([...NO_SECRET_GOES_TO].sort())
})

/** Each secret, with each setting that leads it elsewhere when it changes. */
const PAIRS = Object.entries(settings).flatMap(([secret, { sentTo }]) =>
  [...(sentTo?.addresses ?? []), ...(sentTo?.encryptedBy ?? []), ...(sentTo?.uncheckedBy ?? [])].flatMap((name) => {
    const category = Object.entries(SETTING_CATEGORIES).find(
      ([, fields]) => name in fields && secret in fields && fields !== SETTING_CATEGORIES.all,
    )?.[0]
    // The others are set by file and environment only.
    return category ? [{ secret: secret as SettingName, name: name as SettingName, category }] : []
  }),
)

test.each(PAIRS)('$secret is asked for again when $name leads it elsewhere', async ({ secret, name, category }) => {
  const path = `/api/v1/settings/setting/?category=${category}`
  const { uncheckedBy = [], encryptedBy = [] } = settings[secret]?.sentTo ?? {}
  await settingsOf(server.kernel).change({
    [secret]: SAVED,
    EMAIL_HOST: 'mail.example.com',
    EMAIL_PORT: '25',
    ...Object.fromEntries(encryptedBy.map((one) => [one, one === name])),
    ...Object.fromEntries(uncheckedBy.map((one) => [one, false])),
  })
  const before = settingsOf(server.kernel).get(name)
  const change = { [name]: other(name, before) }
  for (const body of [change, { ...change, [secret]: '' }, { ...change, [secret]: null }]) {
    const refused = await admin.patch(path, body)
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual({ [secret]: ['Enter it again: the saved one is only sent to the saved address'] })
  }
  expect(settingsOf(server.kernel).get(name)).toEqual(before)
  expect(settingsOf(server.kernel).get(secret)).toBe(SAVED)
  // The same address, sent back with an empty secret as forms do, keeps it.
  expect((await admin.patch(path, { [name]: before, [secret]: '' })).status).toBe(200)
  expect(settingsOf(server.kernel).get(secret)).toBe(SAVED)
  expect((await admin.patch(path, { ...change, [secret]: 'entered again' })).status).toBe(200)
  expect(settingsOf(server.kernel).get(secret)).toBe('entered again')
})

function other(name: string, value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (name.endsWith('PORT')) return '2525'
  return /^[a-z]+:\/\//.test(String(value)) ? String(value).replace('://', '://mallory.') : 'mallory.example.com'
}
