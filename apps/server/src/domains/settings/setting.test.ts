import type { OperateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import { SETTING_CATEGORIES } from '@sallyport/contract/settings/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { settingsOf } from './index.ts'

const PATH = '/api/v1/settings/setting/'
const at = (category: string) => `${PATH}?category=${category}`

let server: TestServer
let admin: Caller
beforeAll(async () => {
  server = await openTestServer({
    SALLYPORT_SETTING_EMAIL_SUFFIX: 'given.example',
    SALLYPORT_SETTING_LOGIN_LOG_KEEP_DAYS: '77',
  })
  admin = server.admin
})
afterAll(() => server?.close())

test('[B7.27] each category answers its own fields, in order, and its metadata their labels, bounds and choices', async () => {
  for (const [category, fields] of Object.entries(SETTING_CATEGORIES)) {
    const readable = Object.entries(fields).flatMap(([name, field]) => ('writeOnly' in field ? [] : [name]))
    const { status, body } = await admin.get(at(category))
    expect([category, status, Object.keys(body)]).toEqual([category, 200, readable])
    const { actions } = (await admin.options(at(category))).body
    expect([category, Object.keys(actions.PUT)]).toEqual([category, Object.keys(fields)])
  }
  const { PUT } = (await admin.options(at('security'))).body.actions
  expect(PUT.SECURITY_PASSWORD_MIN_LENGTH).toMatchObject({
    type: 'integer',
    required: true,
    min_value: 6,
    max_value: 30,
    default: 6,
  })
  expect(PUT.SECURITY_MFA_AUTH.choices).toEqual([
    { value: 0, display_name: 'Disabled' },
    { value: 1, display_name: 'All users' },
    { value: 2, display_name: 'Administrators only' },
  ])
  expect((await admin.options(at('email'))).body.actions.PUT.EMAIL_HOST_PASSWORD).toMatchObject({
    write_only: true,
    type: 'string',
  })
})

test('[B9.24 B9.25] the metadata says in which unit a setting is, and on which port each encryption of mail is usual', async () => {
  const words: [category: string, name: string, help: RegExp][] = [
    ['security', 'SECURITY_LOGIN_LIMIT_TIME', /^Minutes/],
    ['security', 'SECURITY_MAX_IDLE_TIME', /^Minutes/],
    ['security', 'SECURITY_PASSWORD_EXPIRATION_TIME', /^Days/],
    ['terminal', 'TERMINAL_HEARTBEAT_INTERVAL', /^Seconds/],
    ['clean', 'TERMINAL_SESSION_KEEP_DURATION', /^Days/],
    ['email', 'EMAIL_USE_SSL', /465/],
    ['email', 'EMAIL_USE_TLS', /587/],
  ]
  for (const [category, name, help] of words) {
    const { PUT } = (await admin.options(at(category))).body.actions
    expect([name, PUT[name]?.help_text]).toEqual([name, expect.stringMatching(help)])
  }
})

/** The settings that rules name, by their rule, with their metadata. */
const NAMED: [category: string, name: string, metadata: { default?: unknown; [name: string]: unknown }][] = [
  ['basic', 'SITE_URL', { type: 'url', required: true }],
  ['terminal', 'TERMINAL_HEARTBEAT_INTERVAL', { type: 'integer', min_value: 5, default: 20 }],
  ['terminal', 'TERMINAL_TELNET_REGEX', { type: 'string' }],
  [
    'terminal',
    'TERMINAL_ASSET_LIST_PAGE_SIZE',
    { type: 'choice', choices: expect.arrayContaining([{ value: 'auto', display_name: 'Auto' }]) },
  ],
  ['terminal', 'TERMINAL_ASSET_LIST_SORT_BY', { type: 'choice' }],
  ['terminal', 'TERMINAL_PASSWORD_AUTH', { type: 'boolean' }],
  ['terminal', 'TERMINAL_PUBLIC_KEY_AUTH', { type: 'boolean' }],
  ['basic', 'USER_GUIDE_URL', {}],
  ['security', 'SECURITY_LOGIN_LIMIT_TIME', { type: 'integer', min_value: 5 }],
  ['security', 'SECURITY_MAX_IDLE_TIME', { type: 'integer', min_value: 1 }],
  ['security', 'SECURITY_PASSWORD_EXPIRATION_TIME', { type: 'integer', min_value: 1, default: 9999 }],
  ['security', 'SECURITY_PASSWORD_MIN_LENGTH', { type: 'integer', min_value: 6, max_value: 30 }],
  ['security', 'SECURITY_PASSWORD_LOWER_CASE', { type: 'boolean' }],
  ['security', 'SECURITY_PASSWORD_UPPER_CASE', { type: 'boolean' }],
  ['security', 'SECURITY_PASSWORD_NUMBER', { type: 'boolean' }],
  ['security', 'SECURITY_PASSWORD_SPECIAL_CHAR', { type: 'boolean' }],
  ['security', 'SECURITY_COMMAND_EXECUTION', { type: 'boolean' }],
]

/** Another value that is allowed, by the metadata of the setting. */
function anotherValue(before: unknown, { type, choices }: { type: string; choices?: { value: unknown }[] }): unknown {
  if (type === 'boolean') return !before
  if (type === 'integer') return Number(before) + 1
  if (type === 'choice') return choices?.find(({ value }) => value !== before)?.value
  return type === 'url' ? 'https://other.example.com' : `${before}x`
}

/** Values that metadata rules out. */
function badValues({
  type,
  min_value,
  max_value,
}: {
  type: string
  min_value?: number
  max_value?: number
}): unknown[] {
  const beyond = [
    ...(min_value === undefined ? [] : [min_value - 1]),
    ...(max_value === undefined ? [] : [max_value + 1]),
  ]
  const ofType: Record<string, unknown[]> = {
    boolean: ['perhaps'],
    integer: ['x'],
    choice: ['nonsense'],
    url: ['javascript:alert(1)'],
  }
  return [...beyond, ...(ofType[type] ?? ['x'.repeat(100_001)])]
}

test('[A3.29 A3.30 A3.32 A3.33 A3.34 A3.35 A3.36 A3.39 A3.40 A3.41 A3.42 A3.43 A3.44] the settings that are named can be read, are kept when changed, and are refused out of bounds', async () => {
  for (const [category, name, metadata] of NAMED) {
    const { PUT } = (await admin.options(at(category))).body.actions
    expect([name, PUT[name]]).toEqual([
      name,
      expect.objectContaining({ label: expect.stringMatching(/./), ...metadata }),
    ])
    const before = (await admin.get(at(category))).body[name]
    if ('default' in metadata) expect([name, before]).toEqual([name, metadata.default])
    const other = anotherValue(before, PUT[name])
    expect([name, other]).not.toEqual([name, before])
    expect([name, (await admin.patch(at(category), { [name]: other })).status]).toEqual([name, 200])
    expect([name, (await admin.get(at(category))).body[name]]).toEqual([name, other])
    for (const bad of badValues(PUT[name])) {
      const refused = await admin.patch(at(category), { [name]: bad })
      expect([name, bad, refused.status, Object.keys(refused.body)]).toEqual([name, bad, 400, [name]])
    }
    expect([name, (await admin.get(at(category))).body[name]]).toEqual([name, other])
    await admin.patch(at(category), { [name]: before })
  }
})

test('the providers of short messages are listed', async () => {
  const { status, body } = await admin.get('/api/v1/settings/sms/backend/')
  expect([status, body]).toEqual([
    200,
    [
      { name: 'alibaba', label: 'Alibaba cloud' },
      { name: 'tencent', label: 'Tencent cloud' },
    ],
  ])
})

test('an unknown or missing category is basic', async () => {
  const basic = (await admin.get(at('basic'))).body
  expect((await admin.get(PATH)).body).toEqual(basic)
  expect((await admin.get(at('nonsense'))).body).toEqual(basic)
  expect((await admin.get(at('constructor'))).body).toEqual(basic)
})

test('[A6.19] settings are for system administrators only, and open to them in every organization, root included', async () => {
  const orgAdmin = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  for (const refused of [
    await orgAdmin.get(PATH),
    await orgAdmin.patch(PATH, {}),
    await orgAdmin.put(PATH, {}),
    await orgAdmin.options(PATH),
  ])
    expect(refused.status).toBe(403)
  expect((await admin.in('root').patch(at('other'), { OTP_VALID_WINDOW: 3 })).body.OTP_VALID_WINDOW).toBe(3)
})

test('[A1.14] a PATCH changes what it sends, at once, and answers the category as it is then', async () => {
  const { status, body } = await admin.patch(at('security'), {
    SECURITY_PASSWORD_MIN_LENGTH: 9,
    SECURITY_MFA_AUTH: '2',
    NONSENSE: 1,
  })
  expect([status, body.SECURITY_PASSWORD_MIN_LENGTH, body.SECURITY_MFA_AUTH]).toEqual([200, 9, 2])
  expect(settingsOf(server.kernel).get('SECURITY_PASSWORD_MIN_LENGTH')).toBe(9)
  expect(
    (await server.call('GET', '/api/v1/settings/public/')).body.data.PASSWORD_RULE.SECURITY_PASSWORD_MIN_LENGTH,
  ).toBe(9)
  expect((await admin.get(at('security'))).body).toEqual(body)
})

test('[A5.05 B5.05] values out of their bounds are refused under their field, and nothing of the call is stored', async () => {
  const before = (await admin.get(at('security'))).body
  const { status, body } = await admin.patch(at('security'), {
    SECURITY_PASSWORD_MIN_LENGTH: 5,
    SECURITY_LOGIN_LIMIT_COUNT: 2,
    SECURITY_LOGIN_LIMIT_TIME: 4,
    SECURITY_MFA_VERIFY_TTL: 4,
    SECURITY_PASSWORD_EXPIRATION_TIME: 'x',
    SECURITY_MFA_AUTH: 3,
    SECURITY_LOGIN_IP_WHITE_LIST: ['10.0.0.1', '10.0.0.0/33'],
    SECURITY_WATERMARK_ENABLED: false,
    SECURITY_WATERMARK_STRENGTH: 31,
  })
  expect(status).toBe(400)
  expect(Object.keys(body).toSorted()).toEqual([
    'SECURITY_LOGIN_IP_WHITE_LIST',
    'SECURITY_LOGIN_LIMIT_COUNT',
    'SECURITY_LOGIN_LIMIT_TIME',
    'SECURITY_MFA_AUTH',
    'SECURITY_MFA_VERIFY_TTL',
    'SECURITY_PASSWORD_EXPIRATION_TIME',
    'SECURITY_PASSWORD_MIN_LENGTH',
    'SECURITY_WATERMARK_STRENGTH',
  ])
  expect(body.SECURITY_LOGIN_IP_WHITE_LIST).toEqual(['"10.0.0.0/33" is not an address, network or range of addresses'])
  expect((await admin.get(at('security'))).body).toEqual(before)
  // Each to the very bound: what is least passes, one less does not.
  const LEAST: [category: string, name: string, least: number][] = [
    ['security', 'SECURITY_LOGIN_LIMIT_COUNT', 3],
    ['security', 'SECURITY_LOGIN_IP_LIMIT_COUNT', 3],
    ['security', 'SECURITY_LOGIN_LIMIT_TIME', 5],
    ['security', 'SECURITY_LOGIN_IP_LIMIT_TIME', 5],
    ['security', 'SECURITY_MFA_VERIFY_TTL', 5],
    ['security', 'SECURITY_PASSWORD_MIN_LENGTH', 6],
    ['security', 'SECURITY_WATERMARK_STRENGTH', 1],
    ['security', 'SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH', 6],
    ...Object.keys(SETTING_CATEGORIES.clean).map((name): [string, string, number] => ['clean', name, 1]),
  ]
  for (const [category, name, least] of LEAST) {
    const { [name]: stood } = (await admin.get(at(category))).body
    const tooLow = await admin.patch(at(category), { [name]: least - 1 })
    expect([name, tooLow.status, Object.keys(tooLow.body)]).toEqual([name, 400, [name]])
    const lowest = await admin.patch(at(category), { [name]: least })
    expect([name, lowest.status, lowest.body[name]]).toEqual([name, 200, least])
    await admin.patch(at(category), { [name]: stood })
  }
  expect((await admin.put(at('security'), before)).status).toBe(200)
})

test('addresses, networks, ranges and * are lists of addresses', async () => {
  const list = ['*', '10.0.0.1', '10.0.0.0/8', '10.0.0.1-10.0.0.9', 'fd00::/8']
  expect(
    (await admin.patch(at('security'), { SECURITY_LOGIN_IP_BLACK_LIST: list })).body.SECURITY_LOGIN_IP_BLACK_LIST,
  ).toEqual(list)
  for (const bad of ['10.0.0', '10.0.0.1-x', '10.0.0.1-fd00::1', 'example.com', '10.0.0.1-10.0.0.2-10.0.0.3'])
    expect((await admin.patch(at('security'), { SECURITY_LOGIN_IP_BLACK_LIST: [bad] })).status).toBe(400)
  expect((await admin.patch(at('security'), { SECURITY_LOGIN_IP_BLACK_LIST: [] })).status).toBe(200)
})

test('[A3.46] the mail server can be taken away again, and its password with it', async () => {
  const password = () => settingsOf(server.kernel).get('EMAIL_HOST_PASSWORD')
  const some = { EMAIL_HOST: 'mail.example.com', EMAIL_PORT: '25' }
  expect((await admin.patch(at('email'), { ...some, EMAIL_HOST_PASSWORD: 'Swordfish-9' })).status).toBe(200)
  const none = { EMAIL_HOST: '', EMAIL_PORT: '', EMAIL_HOST_USER: '' }
  expect(await admin.patch(at('email'), none)).toMatchObject({ status: 200, body: none })
  expect(password()).toBe('')
  // It comes back with no other server.
  expect((await admin.patch(at('email'), some)).status).toBe(200)
  expect(password()).toBe('')
  expect((await admin.patch(at('email'), none)).status).toBe(200)
})

test('a PUT asks for the required fields of the category and leaves what it does not send', async () => {
  await admin.patch(at('clean'), { FTP_LOG_KEEP_DAYS: 5 })
  const { status, body } = await admin.put(at('clean'), { FTP_LOG_KEEP_DAYS: 6 })
  expect([status, body.LOGIN_LOG_KEEP_DAYS, body.FTP_LOG_KEEP_DAYS]).toEqual([
    400,
    ['This field is required.'],
    undefined,
  ])
  const whole = (await admin.get(at('clean'))).body
  expect((await admin.put(at('clean'), { ...whole, FTP_LOG_KEEP_DAYS: 6 })).body).toEqual({
    ...whole,
    FTP_LOG_KEEP_DAYS: 6,
  })
  await admin.patch(at('terminal'), { TERMINAL_RDP_ADDR: 'rdp.example:3389' })
  expect((await admin.put(at('terminal'), { XRDP_ENABLED: true })).body.TERMINAL_RDP_ADDR).toBe('rdp.example:3389')
})

test('a secret is sealed at rest, never answered, and kept when an empty one is sent', async () => {
  const { body } = await admin.patch(at('email'), { EMAIL_HOST_PASSWORD: 'Swordfish ', EMAIL_HOST: 'mail.example' })
  expect(body).not.toHaveProperty('EMAIL_HOST_PASSWORD')
  for (const empty of ['', null]) await admin.patch(at('email'), { EMAIL_HOST_PASSWORD: empty })
  expect(settingsOf(server.kernel).get('EMAIL_HOST_PASSWORD')).toBe('Swordfish ')
  const { rows } = await server.kernel.pool.query(
    "SELECT value, value_sealed AS sealed FROM settings_setting WHERE name = 'EMAIL_HOST_PASSWORD'",
  )
  expect(rows[0].value).toBeNull()
  expect(rows[0].sealed.toString('latin1')).not.toContain('Swordfish')
  for (const category of ['email', 'all'])
    expect(JSON.stringify((await admin.get(at(category))).body)).not.toContain('Swordfish')
})

test.each([
  ['email', 'EMAIL_SUBJECT_PREFIX'],
  ['email', 'EMAIL_FROM'],
  ['email', 'EMAIL_HOST'],
  ['email_content', 'EMAIL_CUSTOM_USER_CREATED_SUBJECT'],
  ['basic', 'GLOBAL_ORG_DISPLAY_NAME'],
])('of category %s, %s takes no second line, which would be a header of a mail', async (category, name) => {
  for (const end of ['\r\n', '\n', '\u2028', '\u0085']) {
    const { status, body } = await admin.patch(at(category), { [name]: `door${end}Bcc: all@example.com` })
    expect([status, Object.keys(body)]).toEqual([400, [name]])
  }
})

test('the operate log says of each setting that changed what it was and what it is, of secrets only that they were set', async () => {
  await admin.patch(at('email'), { EMAIL_HOST_USER: 'door@audit.example', EMAIL_HOST_PASSWORD: 'Herring-2' })
  // Sent back unchanged beside one that does change.
  await admin.patch(at('email'), { EMAIL_HOST_USER: 'door@audit.example', EMAIL_SUBJECT_PREFIX: '[Door]' })
  const { body } = await admin.in('root').get('/api/v1/audits/operate-logs/?resource_type=Setting&limit=100')
  const rows = body.results as OperateLog[]
  const changesOf = (name: string) => rows.filter(({ resource }) => resource === name).map(({ changes }) => changes)
  expect(changesOf('EMAIL_HOST_USER')).toEqual([
    [expect.objectContaining({ label: 'SMTP account', before: null, after: 'door@audit.example' })],
  ])
  expect(changesOf('EMAIL_SUBJECT_PREFIX')[0]).toEqual([expect.objectContaining({ after: '[Door]' })])
  expect(changesOf('EMAIL_HOST_PASSWORD')[0]).toEqual([
    expect.objectContaining({ is_secret: true, before: null, after: null }),
  ])
  expect(JSON.stringify(body)).not.toMatch(/Herring|Swordfish/)
  const { rows: stored } = await server.kernel.pool.query(
    "SELECT string_agg(changes::text, '') AS changes FROM audits_operate_log",
  )
  expect(stored[0].changes).not.toMatch(/Herring|Swordfish/)
})

test('links must be web addresses: other schemes would run as script in the console', async () => {
  const script = 'javascript:alert(1)'
  expect((await admin.patch(at('other'), { HELP_DOCUMENT_URL: script })).body).toEqual({
    HELP_DOCUMENT_URL: ['Enter a valid URL.'],
  })
  for (const [category, name, value] of [
    ['cas', 'CAS_SERVER_URL', 'https://cas example/'],
    ['oidc', 'AUTH_OPENID_PROVIDER_ENDPOINT', 'https://[oidc/'],
    ['oidc', 'AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT', script],
    ['oidc', 'AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT', '//elsewhere/token'],
  ] as const)
    expect((await admin.patch(at(category), { [name]: value })).body).toEqual({ [name]: ['Enter a valid URL.'] })
  expect((await admin.patch(at('oidc'), { AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: 'oauth/token' })).status).toBe(200)
  const key = { AUTH_OPENID_PROVIDER_SIGNATURE_ALG: 'RS256', AUTH_OPENID_PROVIDER_SIGNATURE_KEY: 'no key' }
  expect(Object.keys((await admin.patch(at('oidc'), key)).body)).toEqual(['AUTH_OPENID_PROVIDER_SIGNATURE_KEY'])
  const announcement = { SUBJECT: 'a', CONTENT: 'b', LINK: script }
  expect((await admin.patch(at('basic'), { ANNOUNCEMENT: announcement })).body).toEqual({
    ANNOUNCEMENT: { LINK: ['Enter a valid URL.'] },
  })
})

test('the site address loses its last slash, and an empty one is the own machine', async () => {
  expect((await admin.patch(at('basic'), { SITE_URL: 'https://door.example.com/' })).body.SITE_URL).toBe(
    'https://door.example.com',
  )
  expect((await admin.patch(at('basic'), { SITE_URL: '' })).body.SITE_URL).toBe('http://127.0.0.1')
})

test('an announcement gets a new id each time it is saved, and what a page was given can be sent back', async () => {
  const empty = (await admin.get(at('basic'))).body
  expect(empty.ANNOUNCEMENT).toEqual({ ID: '', SUBJECT: '', CONTENT: '', LINK: '' })
  expect((await admin.put(at('basic'), empty)).body).toEqual(empty)
  const words = { SUBJECT: 'Maintenance', CONTENT: 'On Sunday', LINK: '' }
  const first = (await admin.patch(at('basic'), { ANNOUNCEMENT: words })).body.ANNOUNCEMENT
  expect(first).toMatchObject(words)
  const second = (await admin.patch(at('basic'), { ANNOUNCEMENT: first })).body.ANNOUNCEMENT
  expect(second.ID).not.toBe(first.ID)
  expect((await admin.patch(at('basic'), { ANNOUNCEMENT: { SUBJECT: 'x', CONTENT: '' } })).status).toBe(400)
  const long = { SUBJECT: 'x', CONTENT: 'x'.repeat(10_001) }
  expect(await admin.patch(at('basic'), { ANNOUNCEMENT: long })).toMatchObject({
    status: 400,
    body: { ANNOUNCEMENT: { CONTENT: [expect.stringContaining('10000')] } },
  })
  const longest = { SUBJECT: 'x', CONTENT: 'x'.repeat(10_000) }
  expect((await admin.patch(at('basic'), { ANNOUNCEMENT: longest })).status).toBe(200)
})

test('mail is encrypted one way or the other, not both', async () => {
  expect((await admin.patch(at('email'), { EMAIL_USE_SSL: true })).status).toBe(200)
  expect((await admin.patch(at('email'), { EMAIL_USE_TLS: true })).body).toEqual({
    EMAIL_USE_TLS: ['Choose either SSL or TLS'],
  })
  expect((await admin.patch(at('email'), { EMAIL_USE_TLS: true, EMAIL_USE_SSL: false })).status).toBe(200)
})

test('one of dynamic code, second factor on the page and captcha is answered; the second factor there needs one of everybody', async () => {
  const extras = async (change: object) => {
    const { body } = await admin.patch(at('security'), change)
    return [body.SECURITY_LOGIN_CHALLENGE_ENABLED, body.SECURITY_MFA_IN_LOGIN_PAGE, body.SECURITY_LOGIN_CAPTCHA_ENABLED]
  }
  expect(await extras({ SECURITY_MFA_AUTH: 0, SECURITY_MFA_IN_LOGIN_PAGE: true })).toEqual([false, false, true])
  expect(await extras({ SECURITY_MFA_AUTH: 2, SECURITY_MFA_IN_LOGIN_PAGE: true })).toEqual([false, false, true])
  expect(await extras({ SECURITY_MFA_AUTH: 1, SECURITY_MFA_IN_LOGIN_PAGE: true })).toEqual([false, true, false])
  expect(await extras({ SECURITY_LOGIN_LIMIT_COUNT: 8 })).toEqual([false, true, false])
  expect(await extras({ SECURITY_LOGIN_CHALLENGE_ENABLED: true })).toEqual([true, false, false])
  expect(await extras({ SECURITY_MFA_AUTH: 0, SECURITY_LOGIN_CHALLENGE_ENABLED: false })).toEqual([false, false, true])
})

test('the settings of an unattended install hold until they are changed here', async () => {
  expect((await admin.get(at('other'))).body.EMAIL_SUFFIX).toBe('given.example')
  expect((await admin.patch(at('other'), { EMAIL_SUFFIX: 'stored.example' })).body.EMAIL_SUFFIX).toBe('stored.example')
  expect((await admin.get(at('clean'))).body.LOGIN_LOG_KEEP_DAYS).toBe(77)
})

test('hostile bodies are refused or do nothing, and never end in a fault', async () => {
  const hostile = [
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    9e15,
    true,
    [],
    [[]],
    {},
    { id: {} },
    'x'.repeat(100_001),
    'a\u0000b',
    '\ud800',
    ['\u0000'],
    [null],
  ]
  const before = (await admin.get(at('sms'))).body
  const names = Object.keys(SETTING_CATEGORIES.all).filter(
    (name) => !name.startsWith('SECURITY_LOGIN') && !name.includes('EXPIRATION'),
  )
  for (const value of hostile) {
    const label = `${JSON.stringify(value)?.slice(0, 30)}: `
    // A body has 2 MB at most.
    const atOnce = typeof value === 'string' && value.length > 1000 ? 15 : names.length
    for (let from = 0; from < names.length; from += atOnce) {
      const some = names.slice(from, from + atOnce)
      const all = await admin.patch(at('all'), Object.fromEntries(some.map((name) => [name, value])))
      expect(label + all.status).toBe(`${label}400`)
      // The fields that take it, without those that refused it for all.
      const taken = some.filter((name) => !(name in all.body))
      const { status, body } = await admin.patch(at('all'), Object.fromEntries(taken.map((name) => [name, value])))
      expect(label + (status < 500 ? 'fine' : JSON.stringify(body))).toBe(`${label}fine`)
    }
  }
  for (const body of ['text', 7, [], [{}]])
    expect(await admin.patch(at('sms'), body)).toMatchObject({
      status: 400,
      body: { non_field_errors: [expect.any(String)] },
    })
  expect((await admin.get(at('sms'))).body).toEqual(before)
})
