import type { Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { SETTING_CATEGORIES, SETTINGS_PATH, type SettingCategory } from '@sallyport/contract/settings/index.ts'
import { SETTINGS_WITHOUT_EFFECT } from '@sallyport/contract/without-effect.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onApi } from '../../lib/api.ts'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { Announcement } from './Announcement.tsx'
import { Settings } from './Settings.page.tsx'

const categoryOf = (call: Call) => (call.query.get('category') ?? 'basic') as SettingCategory
const fieldsOf = (category: SettingCategory) => SETTING_CATEGORIES[category] as Fields

function metadataOf(category: SettingCategory) {
  const metadata = metadataFor({ fields: fieldsOf(category), filters: [] } as unknown as ResourceDefinition)
  // The server answers choices that are numbers as numbers.
  for (const { SECURITY_MFA_AUTH } of Object.values(metadata.actions))
    for (const choice of SECURITY_MFA_AUTH?.choices ?? []) Object.assign(choice, { value: Number(choice.value) })
  if (category === 'basic') {
    const children = metadataFor({
      fields: fieldsOf('basic').ANNOUNCEMENT?.fields ?? {},
      filters: [],
    } as unknown as ResourceDefinition)
    for (const fields of Object.values(metadata.actions))
      Object.assign(fields.ANNOUNCEMENT ?? {}, { children: children.actions.PUT })
  }
  return metadata
}

/** Answers each category with its defaults, as the server does: without secrets. */
function settingServer(call: Call) {
  if (call.path !== SETTINGS_PATH)
    return call.method === 'POST' ? { body: { msg: 'A test mail was sent to me@example.com' } } : undefined
  const fields = fieldsOf(categoryOf(call))
  const values = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field.writeOnly ? [] : [[name, field.default]])),
  )
  if (call.method === 'OPTIONS') return { body: metadataOf(categoryOf(call)) }
  return { body: { ...values, ...(call.method === 'GET' ? {} : (call.body as object)) } }
}

const written = (calls: readonly Call[]) =>
  calls
    .filter(({ method }) => method === 'PUT' || method === 'PATCH')
    .map((call) => [call.method, categoryOf(call), call.body])
const textIn = (input: HTMLElement) => (input as HTMLInputElement).value
/** State of a switch. */
const isOn = (button: HTMLElement) => button.getAttribute('aria-checked') === 'true'
const open = (tab: string) => show(<Settings title="Settings" />, `/settings?activeTab=${tab}`, '/settings')

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[B2.12] a setting that was typed and not saved is not lost by a click on another tab without a question', async () => {
  serve(settingServer)
  open('basic')
  await userEvent.type(await screen.findByLabelText('User guide URL'), 'https://guide.example')
  await userEvent.click(screen.getByRole('tab', { name: 'Email' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(textIn(screen.getByLabelText('User guide URL'))).toBe('https://guide.example')
})

test('[A2.57] the tabs of the settings page, opened by a link or a click', async () => {
  serve(settingServer)
  open('security')
  expect((await screen.findAllByRole('tab')).map(({ textContent }) => textContent)).toEqual([
    'Basic',
    'Email',
    'Messages',
    'Slack',
    'Microsoft Teams',
    'Security',
    'Sign-in methods',
    'LDAP',
    'Terminal',
    'Retention',
    'System monitor',
    'Other settings',
    'License',
  ])
  expect(textIn(await screen.findByLabelText('Password lifetime'))).toBe('9999')
  await userEvent.click(screen.getByRole('tab', { name: 'Retention' }))
  expect(textIn(await screen.findByLabelText('Sign-in log'))).toBe('200')
})

test('a setting is found by its words, in a dialog too, and leads to its place; unsaved input is asked about', async () => {
  serve(settingServer)
  open('basic')
  const search = await screen.findByRole('searchbox', { name: 'Find a setting' })
  await userEvent.type(search, 'idle time')
  await userEvent.click(await screen.findByRole('button', { name: 'Longest idle time Security' }))
  await waitFor(() => expect(document.activeElement?.id).toBe('SECURITY_MAX_IDLE_TIME'))
  await userEvent.type(screen.getByRole('searchbox', { name: 'Find a setting' }), 'smtp host')
  await userEvent.type(screen.getByLabelText('Longest session'), '1')
  await userEvent.click(await screen.findByRole('button', { name: 'SMTP host Email / SMTP' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('SMTP: Change'))
})

test('a dialog of settings begins at its first field; Escape asks before typed input is lost, and from an untouched one leads back to its button', async () => {
  serve(settingServer)
  open('Email')
  const button = await screen.findByRole('button', { name: 'SMTP: Change' })
  await userEvent.click(button)
  const first = await within(await screen.findByRole('dialog')).findByLabelText('SMTP host')
  await waitFor(() => expect(document.activeElement).toBe(first))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(button)
  await userEvent.click(button)
  const host = await within(await screen.findByRole('dialog')).findByLabelText('SMTP host')
  await userEvent.type(host, 'mail.example.com{Escape}')
  await userEvent.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(textIn(host)).toBe('mail.example.com')
})

test('a dialog of settings whose typed input may be lost closes', async () => {
  serve(settingServer)
  open('Email')
  await userEvent.click(await screen.findByRole('button', { name: 'SMTP: Change' }))
  await userEvent.type(await within(await screen.findByRole('dialog')).findByLabelText('SMTP host'), 'mail{Escape}')
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(screen.queryByLabelText('SMTP host')).toBeNull())
})

test('a number says its unit beside it, and its help does not say it again', async () => {
  serve(settingServer)
  open('Clean')
  const box = await screen.findByLabelText('Sign-in log')
  expect(box.closest('.form-field')?.textContent).toBe('Sign-in logdays')
})

test('cleaning is sent as a PATCH of what the form shows', async () => {
  const calls = serve(settingServer)
  open('Clean')
  await userEvent.clear(await screen.findByLabelText('Sign-in log'))
  await userEvent.type(screen.getByLabelText('Sign-in log'), '30')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(written(calls)).toEqual([
      [
        'PATCH',
        'clean',
        {
          LOGIN_LOG_KEEP_DAYS: 30,
          OPERATE_LOG_KEEP_DAYS: 200,
          FTP_LOG_KEEP_DAYS: 200,
          AUDIT_UNDO_DAYS: 30,
          AUDIT_UNDO_MEGABYTES: 2000,
          TERMINAL_SESSION_KEEP_DURATION: 200,
          TASK_LOG_KEEP_DAYS: 90,
          SITE_MESSAGE_KEEP_DAYS: 200,
        },
      ],
    ]),
  )
})

test('terminal and other settings are sent as a PUT with what the category needs', async () => {
  const calls = serve(settingServer)
  open('Terminal')
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toHaveLength(1))
  expect(written(calls)[0]).toMatchObject([
    'PUT',
    'terminal',
    { XRDP_ENABLED: true, TERMINAL_ASSET_LIST_PAGE_SIZE: 'auto' },
  ])
  await userEvent.click(screen.getByRole('tab', { name: 'Other settings' }))
  await screen.findByLabelText('Email suffix')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toHaveLength(2))
  expect(written(calls)[1]).toMatchObject(['PUT', 'other', { WINDOWS_SSH_DEFAULT_SHELL: 'cmd', OTP_VALID_WINDOW: 2 }])
})

test('settings that nothing acts on yet are kept, and not shown', async () => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  serve(settingServer)
  open('Terminal')
  await screen.findByLabelText('Assets per page')
  for (const name of Object.keys(SETTINGS_WITHOUT_EFFECT)) expect(document.getElementById(name), name).toBeNull()
  expect(document.getElementById('XRDP_ENABLED')).not.toBeNull()
})

test('[A5.23] the SMTP dialog sends its own fields, without a password that was not typed', async () => {
  const calls = serve(settingServer)
  open('Email')
  await userEvent.click(await screen.findByRole('button', { name: 'SMTP: Change' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.type(await within(dialog).findByLabelText('SMTP host'), 'mail.example.com')
  // Once for the page and once for the dialog: they must not make each other read again.
  expect(calls.filter((call) => call.method === 'GET' && categoryOf(call) === 'email')).toHaveLength(2)
  await userEvent.type(within(dialog).getByLabelText('SMTP port'), '587')
  await userEvent.type(within(dialog).getByLabelText('SMTP account'), 'door')
  expect(within(dialog).getByLabelText('SMTP password').getAttribute('type')).toBe('password')
  await userEvent.click(within(dialog).getByLabelText('Use TLS'))
  await userEvent.click(within(dialog).getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(written(calls)).toEqual([
    [
      'PATCH',
      'email',
      {
        EMAIL_HOST: 'mail.example.com',
        EMAIL_PORT: '587',
        EMAIL_HOST_USER: 'door',
        EMAIL_USE_SSL: false,
        EMAIL_USE_TLS: true,
      },
    ],
  ])
})

test('RADIUS is set up in a dialog of the sign-in methods, whose secret is sent only when it was typed', async () => {
  const calls = serve(settingServer)
  open('Auth')
  await userEvent.click(await screen.findByRole('button', { name: 'RADIUS: Set up' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.clear(await dialog.findByLabelText('Host'))
  await userEvent.type(dialog.getByLabelText('Host'), 'radius.example.com')
  await userEvent.click(dialog.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(written(calls)).toEqual([
      [
        'PATCH',
        'radius',
        { AUTH_RADIUS: false, RADIUS_SERVER: 'radius.example.com', RADIUS_PORT: 1812, OTP_IN_RADIUS: false },
      ],
    ]),
  )
})

test('SSO is switched on in a dialog of the sign-in methods, whose button says Set up before and Change from then on', async () => {
  let isOn = false
  const calls = serve((call) => {
    const answer = settingServer(call)
    if (call.method === 'PATCH') isOn = true
    else if (isOn && answer && 'AUTH_SSO' in answer.body) Object.assign(answer.body, { AUTH_SSO: true })
    return answer
  })
  open('Auth')
  await userEvent.click(await screen.findByRole('button', { name: 'SSO link: Set up' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(await dialog.findByLabelText('Sign-in by SSO link'))
  await userEvent.click(dialog.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toEqual([['PATCH', 'sso', { AUTH_SSO: true, AUTH_SSO_AUTHKEY_TTL: 900 }]]))
  await screen.findByRole('button', { name: 'SSO link: Change' })
})

test('OpenID is set up in a dialog: Keycloak by server and realm, others by endpoints that follow the provider’s', async () => {
  const calls = serve(settingServer)
  open('Auth')
  await userEvent.click(await screen.findByRole('button', { name: 'OpenID: Set up' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByLabelText('Realm name')).toBeTruthy()
  expect(dialog.queryByLabelText('Provider endpoint')).toBeNull()
  await userEvent.click(dialog.getByLabelText('Use Keycloak'))
  expect(dialog.queryByLabelText('Realm name')).toBeNull()
  const endpoint = await dialog.findByLabelText('Provider endpoint')
  await userEvent.clear(endpoint)
  await userEvent.type(endpoint, 'https://id.example.com/')
  await userEvent.click(dialog.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toHaveLength(1))
  const [[method, category, body] = []] = written(calls)
  expect([method, category]).toEqual(['PATCH', 'oidc'])
  expect(body).toMatchObject({
    AUTH_OPENID_KEYCLOAK: false,
    AUTH_OPENID_PROVIDER_ENDPOINT: 'https://id.example.com/',
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: 'https://id.example.com/authorize',
    AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: 'https://id.example.com/logout',
  })
  expect(body).not.toHaveProperty('AUTH_OPENID_CLIENT_SECRET')
})

test('SAML2 and CAS are set up in dialogs; key and certificate come from files, attribute names as JSON', async () => {
  const calls = serve(settingServer)
  open('Auth')
  await userEvent.click(await screen.findByRole('button', { name: 'SAML2: Set up' }))
  const saml = within(await screen.findByRole('dialog'))
  expect((await saml.findByRole('link', { name: 'Open what is saved' })).getAttribute('href')).toBe(
    '/core/auth/saml2/metadata/',
  )
  fireEvent.change(saml.getByLabelText('SP certificate'), { target: { value: 'PEM\nof two lines' } })
  fireEvent.change(await saml.findByLabelText('Rename attributes'), { target: { value: '{"sub": "username"}' } })
  await userEvent.click(saml.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toHaveLength(1))
  const [[method, category, body] = []] = written(calls)
  expect([method, category]).toEqual(['PATCH', 'saml2'])
  expect(body).toMatchObject({
    SAML2_SP_CERT_CONTENT: 'PEM\nof two lines',
    SAML2_RENAME_ATTRIBUTES: { sub: 'username' },
  })
  expect(body).not.toHaveProperty('SAML2_SP_KEY_CONTENT')
  expect(body).not.toHaveProperty('sp_metadata')
  await userEvent.click(await screen.findByRole('button', { name: 'CAS: Set up' }))
  const cas = within(await screen.findByRole('dialog', { name: 'CAS' }))
  expect(await cas.findByLabelText('Username attribute')).toBeTruthy()
})

test('[B7.09] Test connection sends a test mail and says what came of it', async () => {
  const calls = serve(settingServer)
  open('Email')
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }))
  await waitFor(() =>
    expect(calls.some(({ method, path }) => method === 'POST' && path === '/api/v1/settings/mail/testing/')).toBe(true),
  )
})

test('[B7.15 B7.09] a test that fails is reported once, with the words of the server', async () => {
  const shown = vi.fn()
  onApi({ showError: shown })
  serve((call) =>
    call.path === '/api/v1/settings/mail/testing/'
      ? { status: 400, body: { error: 'mail.example.com refused the sign-in' } }
      : settingServer(call),
  )
  open('Email')
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }))
  expect(await screen.findAllByText('mail.example.com refused the sign-in')).toHaveLength(1)
  // The message that every failed call brings by itself is held back.
  expect(shown).not.toHaveBeenCalled()
})

test('[A5.02] an address that is none is reported before anything is sent', async () => {
  const calls = serve(settingServer)
  open('Email')
  await userEvent.type(await screen.findByLabelText('Test recipient'), 'nobody')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText('Please enter your email address')
  expect(written(calls)).toEqual([])
})

test('dynamic code and captcha leave each other out; a second factor on the page needs one of everybody, and a license', async () => {
  const calls = serve(settingServer)
  open('Security')
  expect(isOn(await screen.findByLabelText('Captcha at sign-in'))).toBe(true)
  await userEvent.click(screen.getByLabelText('Dynamic code at sign-in'))
  await waitFor(() => expect(isOn(screen.getByLabelText('Captcha at sign-in'))).toBe(false))
  await userEvent.click(screen.getByRole('radio', { name: 'All users' }))
  expect(screen.queryByLabelText('MFA on the sign-in page')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(written(calls)).toHaveLength(1))
  expect(written(calls)[0]).toMatchObject([
    'PATCH',
    'security',
    { SECURITY_MFA_AUTH: 1, SECURITY_LOGIN_CHALLENGE_ENABLED: true, SECURITY_LOGIN_CAPTCHA_ENABLED: false },
  ])
})

test('without a license the basic tab has neither tickets nor the name of the global organization', async () => {
  serve(settingServer)
  open('Basic')
  await screen.findByLabelText('Site URL')
  expect([screen.queryByLabelText('Enable tickets'), screen.queryByLabelText('Global organization name')]).toEqual([
    null,
    null,
  ])
  cleanup()
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  open('Basic')
  expect(isOn(await screen.findByLabelText('Enable tickets'))).toBe(true)
})

test('[A2.57] with a license there is a tab for SMS, whose chosen provider has a dialog that is tried before it is stored', async () => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  const calls = serve(settingServer)
  open('SMS')
  await screen.findByRole('button', { name: 'Alibaba cloud: Change' })
  await userEvent.click(screen.getByRole('radio', { name: 'Tencent cloud' }))
  expect(screen.queryByRole('button', { name: 'Alibaba cloud: Change' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Tencent cloud: Change' }))
  const dialog = within(await screen.findByRole('dialog'))
  const values = {
    'Secret ID': 'id',
    'SDK app id': '1400',
    Signature: 'sign',
    'Template code': '12',
    'Test phone': '13800138000',
  }
  for (const [label, value] of Object.entries(values))
    fireEvent.change(await dialog.findByLabelText(label), { target: { value } })
  await userEvent.click(await dialog.findByRole('button', { name: 'Test' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'POST')?.path).toBe('/api/v1/settings/tencent/testing/'),
  )
  expect(written(calls)).toEqual([])
  await userEvent.click(dialog.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(written(calls)).toMatchObject([
      ['PUT', 'tencent', { TENCENT_SDKAPPID: '1400', SMS_TEST_PHONE: '13800138000' }],
    ]),
  )
})

test('an announcement is shown to everybody until it is closed; a new one shows again', async () => {
  const announce = (ID: string, more: object = {}) =>
    signIn({
      settings: {
        ANNOUNCEMENT_ENABLED: true,
        ANNOUNCEMENT: { ID, SUBJECT: 'Sunday', CONTENT: 'We move house', LINK: 'https://x.example/', ...more },
      },
    })
  announce('1')
  show(<Announcement />, '/', '/')
  expect(screen.getByRole('link', { name: 'View more' }).getAttribute('href')).toBe('https://x.example/')
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByText('We move house')).toBeNull())
  cleanup()
  show(<Announcement />, '/', '/')
  expect(screen.queryByText('We move house')).toBeNull()
  cleanup()
  announce('2', { LINK: 'javascript:alert(1)' })
  show(<Announcement />, '/', '/')
  screen.getByText('We move house')
  expect(screen.queryByRole('link')).toBeNull()
})

test('[B7.09] the WeCom dialog has the server try what it shows, and stores it on Submit only', async () => {
  const calls = serve(settingServer)
  open('Auth')
  await userEvent.click(await screen.findByRole('button', { name: 'WeCom: Set up' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.type(await within(dialog).findByLabelText('Corp ID'), 'ww-corp')
  within(dialog).getByText('Not yet tried with the product itself: begin with a small part.')
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Test' }))
  expect(await within(dialog).findAllByText('This field is required')).not.toEqual([])
  await userEvent.type(within(dialog).getByLabelText('Agent ID'), '1000002')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Test' }))
  await waitFor(() => expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1))
  expect(calls.find(({ method }) => method === 'POST')).toMatchObject({
    path: '/api/v1/settings/wecom/testing/',
    body: { WECOM_CORPID: 'ww-corp', WECOM_AGENTID: '1000002' },
  })
  expect(written(calls)).toEqual([])
})
