import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { settingsOf } from './index.ts'
import { settingsSetting } from './tables.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

test('[A3.03 B3.13 B7.05] public settings answer without a session, wrapped in data, with every key that pages read', async () => {
  const { status, body } = await server.call('GET', '/api/v1/settings/public/')
  expect([status, Object.keys(body)]).toEqual([200, ['data']])
  expect(body.data).toMatchObject({
    SECURITY_MAX_IDLE_TIME: 30,
    SECURITY_VIEW_AUTH_NEED_MFA: true,
    SECURITY_MFA_VERIFY_TTL: 3600,
    OLD_PASSWORD_HISTORY_LIMIT_COUNT: 5,
    SECURITY_COMMAND_EXECUTION: true,
    SECURITY_PASSWORD_EXPIRATION_TIME: 9999,
    SECURITY_LUNA_REMEMBER_AUTH: true,
    XPACK_LICENSE_IS_VALID: true,
    XPACK_LICENSE_INFO: { corporation: 'Harbour Ltd' },
    LOGIN_TITLE: 'Sallyport',
    TICKETS_ENABLED: true,
    PASSWORD_RULE: {
      SECURITY_PASSWORD_MIN_LENGTH: 6,
      SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: 6,
      SECURITY_PASSWORD_UPPER_CASE: false,
      SECURITY_PASSWORD_LOWER_CASE: false,
      SECURITY_PASSWORD_NUMBER: false,
      SECURITY_PASSWORD_SPECIAL_CHAR: false,
    },
    AUTH_WECOM: false,
    AUTH_DINGTALK: false,
    AUTH_FEISHU: false,
    SECURITY_WATERMARK_ENABLED: true,
    SECURITY_WATERMARK_STRENGTH: 4,
    SECURITY_SESSION_SHARE: true,
    XRDP_ENABLED: true,
    ANNOUNCEMENT: {},
    WINDOWS_SKIP_ALL_MANUAL_PASSWORD: false,
    IMPORT_FILE_LIMIT_MB: 30,
  })
  for (const name of ['LOGO_URLS', 'HELP_DOCUMENT_URL', 'HELP_SUPPORT_URL', 'ANNOUNCEMENT_ENABLED', 'XPACK_ENABLED'])
    expect(body.data).toHaveProperty(name)
  expect(body.data.LOGO_URLS).toEqual({
    favicon: expect.any(String),
    logo_index: expect.any(String),
    logo_logout: expect.any(String),
    login_image: expect.any(String),
  })
})

test('[A5.04] a stored rule holds from the next password on', async () => {
  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_PASSWORD_UPPER_CASE', true)
  await settings.set('SECURITY_PASSWORD_SPECIAL_CHAR', true)
  await settings.set('SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH', 12)
  const attempt = (password: string, org_roles = ['User']) => {
    const username = `rule${password.length}${Math.random().toString(36).slice(2)}`
    return server.admin.post('/api/v1/users/users/', {
      name: username,
      username,
      email: `${username}@example.com`,
      password_strategy: 'custom',
      password,
      org_roles,
    })
  }
  expect((await attempt('lower-case')).status).toBe(400)
  expect((await attempt('UpperCase')).status).toBe(400)
  expect((await attempt('Upper-Case')).status).toBe(201)
  expect((await attempt('Upper-Case', ['Admin'])).status).toBe(400)
  expect((await attempt('Upper-Case-long', ['Admin'])).status).toBe(201)
  expect(
    (await server.call('GET', '/api/v1/settings/public/')).body.data.PASSWORD_RULE.SECURITY_PASSWORD_UPPER_CASE,
  ).toBe(true)
})

test('a setting that another node changes is in force here without a restart', async () => {
  const settings = settingsOf(server.kernel)
  await server.kernel.pool.query(
    "INSERT INTO settings_setting (name, value) VALUES ('GLOBAL_ORG_DISPLAY_NAME', '\"Everything\"')",
  )
  await server.kernel.pool.query(
    'SELECT pg_notify(\'sallyport\', \'{"name": "settings.changed", "setting": "GLOBAL_ORG_DISPLAY_NAME"}\')',
  )
  await expect.poll(() => settings.get('GLOBAL_ORG_DISPLAY_NAME')).toBe('Everything')
  expect((await server.admin.in('root').get('/api/v1/orgs/orgs/current/')).body.name).toBe('Everything')
})

test('a change that this node missed, because its line to the database was down, is seen when the line is back', async () => {
  const { kernel } = server
  await kernel.db.insert(settingsSetting).values({ name: 'LOGIN_TITLE', value: 'Behind the back' })
  expect(settingsOf(kernel).get('LOGIN_TITLE')).toBe('')
  await kernel.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  )
  await expect.poll(() => settingsOf(kernel).get('LOGIN_TITLE')).toBe('Behind the back')
})

test('[A5.13 B9.04] the limit of import files is a setting: what is larger is refused with 413, and ten MB always pass', async () => {
  const settings = settingsOf(server.kernel)
  const upload = async (megabytes: number) => {
    const { statusCode, body } = await server.kernel.app.inject({
      method: 'POST',
      url: '/api/v1/assets/labels/render-to-json/',
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        'content-type': 'text/csv',
        cookie: 'django_language=en',
      },
      payload: Buffer.concat([Buffer.from('name,value\na,'), Buffer.alloc(megabytes * 1024 * 1024 - 13, 'x')]),
    })
    return [statusCode, JSON.parse(body).code]
  }
  await settings.set('IMPORT_FILE_LIMIT_MB', 1)
  expect(await upload(10)).toEqual([200, undefined])
  expect(await upload(11)).toEqual([413, 'too_large'])
  await settings.set('IMPORT_FILE_LIMIT_MB', 30)
  expect(await upload(30)).toEqual([200, undefined])
  expect(await upload(31)).toEqual([413, 'too_large'])
})
