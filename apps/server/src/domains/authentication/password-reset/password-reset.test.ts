import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { type MailServer, type ReceivedMail, startMailServer } from '../../notifications/mail-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'
import { remindOfAccounts, remindOfPasswords } from './reminder.ts'

const FORGOT = '/core/auth/password/forgot/'
const RESET = '/core/auth/password/reset/'
const USERS = '/api/v1/users/users/'

let server: TestServer
let mailServer: MailServer
let read = 0

beforeAll(async () => {
  server = await openTestServer()
  mailServer = await startMailServer()
  await settingsOf(server.kernel).change({
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(mailServer.port),
    EMAIL_HOST_USER: 'door@example.com',
    SITE_URL: 'https://door.example.com',
  })
})
afterAll(async () => {
  await server?.close()
  await mailServer?.close()
})
afterEach(async () => {
  // Mails of one test are not those of the next.
  await quiet()
  read = mailServer.mails.length
})

/** Waits until nothing is queued. */
async function quiet(): Promise<void> {
  const waiting = async () =>
    (
      await server.kernel.pool.query(
        "SELECT 1 FROM kernel_job WHERE queue IN ('notifications.send_mail', 'authentication.mail_reset_link') AND state IN ('waiting', 'running')",
      )
    ).rowCount
  await expect.poll(waiting).toBe(0)
}

/** The mails since the last call, all that were queued by then. */
async function newMails(): Promise<ReceivedMail[]> {
  await quiet()
  const mails = mailServer.mails.slice(read)
  read = mailServer.mails.length
  return mails
}

const tokenIn = (mail: ReceivedMail | undefined) => /\?token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
const reset = (token: string, password: string, confirm = password) =>
  server.call('POST', RESET, { body: { token, new_password: password, confirm_password: confirm } })
const forgot = (email: string) => server.call('POST', FORGOT, { body: { email } })
const passwords = async (username: string, password: string) =>
  (await server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })).status === 201
const create = (username: string, more: object = {}) =>
  server.admin.post(USERS, { name: `${username} <b>`, username, email: `${username}@example.com`, ...more })

test('a new person gets a mail with a link, and sets the first password with it, once', async () => {
  expect((await create('newcomer')).status).toBe(201)
  const [mail] = await newMails()
  expect(mail).toMatchObject({ to: ['newcomer@example.com'], subject: 'Your account at Sallyport' })
  expect(mail?.text).toContain('Hello newcomer <b>,')
  expect(mail?.html).toContain('newcomer &lt;b&gt;')
  expect(mail?.text).toContain('https://door.example.com/core/auth/password/reset/?token=')
  expect(mail?.text).toContain('https://door.example.com/core/auth/password/forgot/')
  const token = tokenIn(mail)
  expect((await reset(token, 'short')).body).toEqual({ new_password: ['Password does not match security rules'] })
  expect((await reset(token, 'Newcomer-1', 'Newcomer-2')).body).toHaveProperty('confirm_password')
  expect((await reset(token, 'Newcomer-1')).status).toBe(200)
  expect(await passwords('newcomer', 'Newcomer-1')).toBe(true)
  expect((await reset(token, 'Newcomer-2')).body.code).toBe('token_invalid')
})

test('a person whose password was chosen for them learns where to sign in; people of a directory are not written to', async () => {
  await create('chosen', { password_strategy: 'custom', password: PASSWORD })
  const [mail, ...more] = await newMails()
  expect([mail?.text.includes('https://door.example.com/core/auth/login/'), tokenIn(mail), more]).toEqual([
    true,
    '',
    [],
  ])
  await create('elsewhere', { source: 'ldap' })
  expect(await newMails()).toEqual([])
})

test('the welcome mail can be worded by administrators, with the names filled in', async () => {
  await settingsOf(server.kernel).change({
    EMAIL_SUBJECT_PREFIX: '[Door]',
    EMAIL_CUSTOM_USER_CREATED_SUBJECT: 'Welcome {username}',
    EMAIL_CUSTOM_USER_CREATED_HONORIFIC: 'Dear {name}',
    EMAIL_CUSTOM_USER_CREATED_BODY: 'Write from {email}{unknown}.',
    EMAIL_CUSTOM_USER_CREATED_SIGNATURE: 'The door keepers',
  })
  await create('worded')
  const [mail] = await newMails()
  expect(mail?.subject).toBe('[Door] Welcome worded')
  expect(mail?.text).toContain('Dear worded <b>')
  expect(mail?.text).toContain('Write from worded@example.com.')
  expect(mail?.text.trimEnd()).toMatch(/The door keepers$/)
  await settingsOf(server.kernel).change({
    EMAIL_SUBJECT_PREFIX: '',
    EMAIL_CUSTOM_USER_CREATED_SUBJECT: '',
    EMAIL_CUSTOM_USER_CREATED_HONORIFIC: '',
    EMAIL_CUSTOM_USER_CREATED_BODY: '',
    EMAIL_CUSTOM_USER_CREATED_SIGNATURE: '',
  })
})

test('a forgotten password: the same answer for every address, and a mail to the address that is stored, in any case of letters', async () => {
  await server.aPerson('forgetful')
  await create('foreign', { source: 'ldap' })
  await create('inactive', { is_active: false })
  await newMails()
  const answers = [
    await forgot('FORGETFUL@example.com'),
    await forgot('unknown@example.com'),
    await forgot('foreign@example.com'),
    await forgot('inactive@example.com'),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([answers[0]?.status, answers[0]?.body])
  expect(answers[0]?.status).toBe(200)
  const mails = await newMails()
  expect(mails.map(({ to }) => to)).toEqual([['forgetful@example.com']])
  expect(mails[0]?.text).toContain('has asked for a new password of the user forgetful')
  expect((await reset(tokenIn(mails[0]), PASSWORD)).body).toEqual({
    new_password: ['The new password cannot be one of the last ones'],
  })
  expect((await reset(tokenIn(mails[0]), 'Remembered-1')).status).toBe(200)
  expect([await passwords('forgetful', PASSWORD), await passwords('forgetful', 'Remembered-1')]).toEqual([false, true])
})

test('mails about a forgotten password are bounded: one a minute for a person, five an hour for an address, thirty for a network address', async () => {
  await server.aPerson('flooded')
  await newMails()
  for (let n = 0; n < 7; n++) {
    expect((await forgot('flooded@example.com')).status).toBe(200)
    await quiet()
    if (n < 5) await server.kernel.pool.query('DELETE FROM authentication_reset_token')
  }
  expect(await newMails()).toHaveLength(5)
  await server.aPerson('hurried')
  await newMails()
  for (let n = 0; n < 2; n++) {
    await forgot('hurried@example.com')
    await quiet()
  }
  expect(await newMails()).toHaveLength(1)
  const statuses: number[] = []
  for (let n = 0; n < 40; n++) statuses.push((await forgot(`nobody${n}@example.com`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429])
  await server.kernel.pool.query('DELETE FROM authentication_failure')
})

test('wrong input is reported on the page, and an external page may be configured instead', async () => {
  for (const email of ['', 'x', 'a@b', 'a@b.c\r\nBcc: d@e.f', 'x'.repeat(200)]) {
    expect((await forgot(email)).body).toEqual({ email: ['Enter a valid email address.'] })
  }
  for (const body of [null, [], 'x', { email: {} }, { email: ['a@b.c'] }])
    expect((await server.call('POST', FORGOT, { body })).status).toBe(400)
  await settingsOf(server.kernel).set('FORGOT_PASSWORD_URL', 'https://directory.example.com/forgot')
  // Only while people come from elsewhere are their passwords kept there.
  expect((await server.call('GET', FORGOT)).headers.location).toBeUndefined()
  await settingsOf(server.kernel).set('AUTH_RADIUS', true)
  const { status, headers } = await server.call('GET', FORGOT)
  expect([status, headers.location]).toEqual([302, 'https://directory.example.com/forgot'])
  await settingsOf(server.kernel).set('AUTH_RADIUS', false)
  await settingsOf(server.kernel).set('FORGOT_PASSWORD_URL', '')
})

test('tries with made-up links end with 429, also for a right link, until the window is over', async () => {
  const { body } = await create('guessed')
  const token = tokenIn((await newMails()).find(({ to }) => to[0] === body.email))
  const answers: number[] = []
  for (let n = 0; n < 21; n++) answers.push((await reset(`made-up-${n}`, 'Guessed-it-1')).status)
  expect([answers[0], answers[19], answers[20]]).toEqual([400, 400, 429])
  expect((await reset(token, 'Guessed-it-1')).status).toBe(429)
  const change = (set: string) =>
    server.kernel.pool.query(`UPDATE authentication_failure SET ${set} WHERE kind = 'reset'`)
  await change("remote_addr = '203.0.113.7'")
  expect((await reset('made-up', 'Guessed-it-1')).status, 'tries from elsewhere').toBe(400)
  await server.kernel.pool.query("DELETE FROM authentication_failure WHERE remote_addr = '127.0.0.1'")
  await change("remote_addr = '127.0.0.1'")
  expect((await reset(token, 'Guessed-it-1')).status).toBe(429)
  await change('date_expired = now()')
  expect((await reset(token, 'Guessed-it-1')).status).toBe(200)
})

test('an administrator’s reset ends the old password and the sign-ins, and sends a link', async () => {
  const person = await server.aPerson('resettled')
  await newMails()
  expect((await server.admin.patch(`${USERS}${person.id}/password/reset/`, {})).status).toBe(200)
  expect((await person.get('/api/v1/users/profile/')).status).toBe(401)
  const [mail] = await newMails()
  expect(mail?.text).toContain('An administrator has reset your password')
  expect((await reset(tokenIn(mail), 'Resettled-1')).status).toBe(200)
  expect(await passwords('resettled', 'Resettled-1')).toBe(true)
})

test('a link dies when the password or the address of the person changes, when it is used, and when another is sent', async () => {
  const person = await server.aPerson('linked')
  const askReset = async () => {
    await server.admin.patch(`${USERS}${person.id}/password/reset/`, {})
    return tokenIn((await newMails()).at(-1))
  }
  await newMails()
  const first = await askReset()
  const second = await askReset()
  expect((await reset(first, 'Linked-once-1')).body.code).toBe('token_invalid')
  await server.admin.patch(`${USERS}${person.id}/password/`, { password: 'Set-by-admin-1' })
  expect((await reset(second, 'Linked-once-1')).body.code).toBe('token_invalid')
  const third = await askReset()
  await server.admin.patch(`${USERS}${person.id}/`, { email: 'moved@example.com' })
  expect((await reset(third, 'Linked-once-1')).body.code).toBe('token_invalid')
})

test('a link works for an hour, the newest alone', async () => {
  const person = await server.aPerson('late')
  const link = async () => {
    await newMails()
    await forgot('late@example.com')
    await expect.poll(() => mailServer.mails.length).toBeGreaterThan(read)
    return tokenIn((await newMails()).at(-1))
  }
  const timePasses = (minutes: number) =>
    server.kernel.pool.query(
      'UPDATE authentication_reset_token SET date_expired = date_expired - make_interval(mins => $2) WHERE user_id = $1',
      [person.id, minutes],
    )
  const earlier = await link()
  await timePasses(10)
  const token = await link()
  expect((await reset(earlier, 'Late-comer-1')).body.code).toBe('token_invalid')
  await timePasses(59)
  // Refused for its password alone: the link is good.
  expect((await reset(token, 'short')).body).toHaveProperty('new_password')
  await timePasses(1)
  expect((await reset(token, 'Late-comer-1')).body.code).toBe('token_invalid')
})

test('[A5.04] the rules and the history hold wherever a password is set', async () => {
  const person = await server.aPerson('ruled', { orgRoles: ['Admin'] })
  await settingsOf(server.kernel).change({
    SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: 12,
    SECURITY_PASSWORD_NUMBER: true,
  })
  const broken = ['Password does not match security rules']
  const again = ['The new password cannot be one of the last ones']
  const own = (new_password: string) =>
    person.put('/api/v1/users/profile/password/', {
      old_password: PASSWORD,
      new_password,
      new_password_again: new_password,
    })
  const ways: [string, (password: string) => Promise<{ body: Record<string, unknown> }>][] = [
    ['password', (password) => server.admin.patch(`${USERS}${person.id}/`, { password })],
    ['password', (password) => server.admin.patch(`${USERS}${person.id}/password/`, { password })],
    ['new_password', own],
  ]
  for (const [field, set] of ways) {
    expect((await set('Short-but-1')).body).toEqual({ [field]: broken })
    expect((await set('Long-without-digit')).body).toEqual({ [field]: broken })
    expect((await set(PASSWORD)).body).toEqual({ [field]: again })
  }
  expect((await create('too-short', { password_strategy: 'custom', password: 'No-digit' })).body).toEqual({
    password: broken,
  })
  await settingsOf(server.kernel).set('OLD_PASSWORD_HISTORY_LIMIT_COUNT', 0)
  expect((await own(PASSWORD)).status).toBe(200)
  await settingsOf(server.kernel).change({
    SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: 6,
    SECURITY_PASSWORD_NUMBER: false,
    OLD_PASSWORD_HISTORY_LIMIT_COUNT: 5,
  })
})

test('[B9.21] people whose password has 0 to 4 whole days left are reminded, and no one else', async () => {
  await settingsOf(server.kernel).set('SECURITY_PASSWORD_EXPIRATION_TIME', 90)
  const ages: Record<string, number> = {
    fresh: 1,
    'six-left': 84,
    'five-left': 84.9,
    'four-left': 85.1,
    'none-left': 89.5,
    gone: 90.1,
  }
  for (const [username, days] of Object.entries(ages)) {
    await server.aPerson(username)
    await server.kernel.pool.query(
      'UPDATE users_user SET date_password_last_updated = now() - make_interval(secs => $1) WHERE username = $2',
      [days * 86_400, username],
    )
  }
  await server.aPerson('sleeping')
  await server.kernel.pool.query(
    "UPDATE users_user SET date_password_last_updated = now() - interval '88 days', is_active = false WHERE username = 'sleeping'",
  )
  await newMails()
  await remindOfPasswords(server.kernel)
  const mails = await newMails()
  expect(mails.map(({ to }) => to[0]).toSorted()).toEqual(['four-left@example.com', 'none-left@example.com'])
  const textTo = (name: string) => mails.find(({ to }) => to[0] === `${name}@example.com`)?.text
  expect(textTo('four-left')).toContain('expires in 4 days')
  expect(textTo('none-left')).toContain('expires within a day')
  expect(textTo('four-left')).toContain('https://door.example.com/ui/users/profile?activeTab=PasswordUpdate')
  await settingsOf(server.kernel).set('SECURITY_PASSWORD_EXPIRATION_TIME', 9999)
})

test('people whose account has 0 to 4 whole days left get a reminder', async () => {
  for (const [username, days] of [
    ['leaving', 2.5],
    ['staying', 5.5],
  ] as const) {
    await server.aPerson(username)
    await server.kernel.pool.query(
      'UPDATE users_user SET date_expired = now() + make_interval(secs => $1) WHERE username = $2',
      [days * 86_400, username],
    )
  }
  await newMails()
  await remindOfAccounts(server.kernel)
  expect((await newMails()).map(({ to, subject }) => [to[0], subject])).toEqual([
    ['leaving@example.com', 'Your account expires soon'],
  ])
})

test('[A1.19] mails are in the language in which the person last used the console', async () => {
  const person = await server.aPerson('bilingual')
  await newMails()
  await server.kernel.pool.query("UPDATE users_user SET language = 'cn' WHERE id = $1", [person.id])
  await server.admin.patch(`${USERS}${person.id}/password/reset/`, {})
  const [mail] = await newMails()
  expect([mail?.subject, mail?.text.includes('bilingual of test，您好：')]).toEqual(['设置新密码', true])
  expect(mail?.text).not.toMatch(/Hello|administrator/i)
})

test('[A1.19] the language in which somebody uses the console in a browser is remembered for mails', async () => {
  await server.aPerson('reader')
  const { headers } = await server.call('POST', '/core/auth/login/', {
    body: { username: 'reader', password: PASSWORD },
    headers: { accept: 'application/json' },
  })
  const cookies = [headers['set-cookie']].flat().map((cookie) => String(cookie).split(';')[0])
  const languageAfter = async (language: string) => {
    const answer = await server.call('GET', '/api/v1/users/profile/', {
      headers: { cookie: [`django_language=${language}`, ...cookies].join('; ') },
    })
    expect(answer.status).toBe(200)
    return (await server.kernel.pool.query("SELECT language FROM users_user WHERE username = 'reader'")).rows[0]
      .language
  }
  expect([await languageAfter('zh-hans'), await languageAfter('en')]).toEqual(['cn', 'en'])
})

test('[A1.19] what nobody chose is not remembered; what somebody chose comes along to a browser without a language', async () => {
  const languageOf = async (username: string) =>
    (await server.kernel.pool.query('SELECT language FROM users_user WHERE username = $1', [username])).rows[0].language
  await server.aPerson('undecided')
  await server.kernel.pool.query("UPDATE users_user SET language = NULL WHERE username = 'undecided'")
  const signIn = async () => {
    const browser = openTestBrowser(server)
    browser.jar.delete('django_language')
    await browser.call('POST', '/core/auth/login/', { username: 'undecided', password: PASSWORD })
    expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(200)
    return browser
  }
  const first = await signIn()
  expect([first.jar.get('django_language'), await languageOf('undecided')]).toEqual([undefined, null])
  first.jar.set('django_language', 'zh-hans')
  await first.call('GET', '/api/v1/users/profile/')
  expect(await languageOf('undecided')).toBe('cn')
  const second = await signIn()
  expect(second.jar.get('django_language')).toBe('zh-hans')
  // A person who is made by somebody without a language has none either.
  const made = await server.call('POST', USERS, {
    body: { name: 'made', username: 'made', email: 'made@example.com', password_strategy: 'email' },
    headers: { authorization: `Bearer ${server.admin.token}`, cookie: '' },
  })
  expect([made.status, await languageOf('made')]).toEqual([201, null])
})

test('while mail is off, the page says so, and people can be made and reset all the same', async () => {
  await settingsOf(server.kernel).set('EMAIL_HOST', '')
  const { status, body } = await forgot('anybody@example.com')
  expect([status, body.code]).toEqual([400, 'mail_off'])
  const made = await create('mailless')
  expect(made.status).toBe(201)
  expect((await server.admin.patch(`${USERS}${made.body.id}/password/reset/`, {})).status).toBe(200)
  await remindOfPasswords(server.kernel)
  expect(await newMails()).toEqual([])
})
