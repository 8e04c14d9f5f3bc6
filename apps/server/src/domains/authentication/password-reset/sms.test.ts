import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { BY_ALIBABA, type SmsProviders, startSmsProviders } from '../../sms/provider-fixture.ts'

const SEND = '/core/auth/password/forgot/send-code/'
const VERIFY = '/core/auth/password/forgot/verify-code/'
const RESET = '/core/auth/password/reset/'

let providers: SmsProviders
let server: TestServer
beforeAll(async () => {
  providers = await startSmsProviders()
  server = await openTestServer({ SALLYPORT_SMS_ALIBABA_URL: providers.url })
  await settingsOf(server.kernel).change(BY_ALIBABA)
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

let phones = 13_700_000_000
async function aPhoned(username: string): Promise<string> {
  const { id } = await server.aPerson(username)
  const phone = String(++phones)
  expect((await server.admin.patch(`/api/v1/users/users/${id}/`, { phone })).status).toBe(200)
  return phone
}
/** Until everything that was asked for has been looked up. */
const quiet = () =>
  expect
    .poll(
      async () =>
        (
          await server.kernel.pool.query(
            "SELECT 1 FROM kernel_job WHERE queue = 'authentication.send_reset_code' AND state IN ('waiting', 'running')",
          )
        ).rowCount,
    )
    .toBe(0)
const codesOf = (phone: string) =>
  providers.messages.filter((message) => message.phone === phone).map(({ code }) => code)
const wrong = (code: string) => (code.startsWith('9') ? '8' : '9') + code.slice(1)

test('name and phone together get a code, and with it a new password, once', async () => {
  const phone = await aPhoned('forgetful')
  expect((await server.call('GET', '/api/v1/settings/public/')).body.data.FORGOT_PASSWORD_WAYS).toEqual(['sms'])
  const browser = openTestBrowser(server)
  const meant = { username: 'forgetful', phone }
  expect((await browser.call('POST', SEND, meant)).body).toEqual({
    msg: expect.stringContaining('a code is on its way'),
  })
  await quiet()
  const [code = ''] = codesOf(phone)
  expect(code).toMatch(/^\d{6}$/)
  expect((await browser.call('POST', VERIFY, { ...meant, code: wrong(code) })).body.code).toBe('verify_code_error')
  // Not in another browser, not for the second factor, not with another phone.
  expect((await openTestBrowser(server).call('POST', VERIFY, { ...meant, code })).body.code).toBe('verify_code_error')
  expect((await browser.call('POST', VERIFY, { username: 'forgetful', phone: '13700009999', code })).body.code).toBe(
    'verify_code_error',
  )
  const proven = await browser.call('POST', VERIFY, { ...meant, code })
  const [, token] = /^\/core\/auth\/password\/reset\/\?token=(\w{50})$/.exec(proven.body.next) ?? []
  expect((await browser.call('POST', VERIFY, { ...meant, code })).body.code).toBe('verify_code_error')
  const draft = { token, new_password: 'Remembered-1', confirm_password: 'Remembered-1' }
  expect((await browser.call('POST', RESET, draft)).status).toBe(200)
  expect((await browser.call('POST', RESET, draft)).body.code).toBe('token_invalid')
  await expect(server.signIn('forgetful', PASSWORD)).rejects.toThrow('password_failed')
  expect((await server.signIn('forgetful', 'Remembered-1')).username).toBe('forgetful')
})

test('unknown names, other phones, and people of a directory are answered like anybody, and get nothing', async () => {
  const phone = await aPhoned('known')
  const outside = await aPhoned('outsider')
  await server.kernel.pool.query("UPDATE users_user SET source = 'ldap' WHERE username = 'outsider'")
  const before = providers.messages.length
  const answers = []
  for (const meant of [
    { username: 'known', phone },
    { username: 'known', phone: '13700008888' },
    { username: 'nobody', phone },
    { username: 'outsider', phone: outside },
  ]) {
    const browser = openTestBrowser(server)
    const { status, body } = await browser.call('POST', SEND, meant)
    await quiet()
    const checked = await browser.call('POST', VERIFY, { ...meant, code: '000000' })
    answers.push({ status, body, checked: [checked.status, checked.body] })
  }
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(providers.messages.slice(before).map((message) => message.phone)).toEqual([phone])
  for (const body of [
    null,
    [],
    { username: 'known' },
    { username: { a: 1 }, phone: 1 },
    { username: 'x'.repeat(200), phone },
  ])
    expect((await server.call('POST', SEND, { body })).status).toBe(400)
})

test('messages and guesses are limited by account, phone and address, for people who do not exist as well', async () => {
  const phone = await aPhoned('guarded')
  const before = providers.messages.length
  const browser = openTestBrowser(server)
  await Promise.all(Array.from({ length: 4 }, () => browser.call('POST', SEND, { username: 'guarded', phone })))
  await quiet()
  // One a minute.
  expect(codesOf(phone)).toHaveLength(1)
  for (let minute = 0; minute < 6; minute++) {
    await server.kernel.pool.query("UPDATE authentication_sms_code SET date_sent = date_sent - interval '61 seconds'")
    await browser.call('POST', SEND, { username: 'guarded', phone })
    await quiet()
  }
  // Five are asked for in an hour: four of them in the first minute.
  expect(providers.messages.length - before).toBe(2)
  const guess = (username: string) => openTestBrowser(server).call('POST', VERIFY, { username, phone, code: '111111' })
  for (const username of ['guarded', 'not-here']) {
    const guesses = await Promise.all(Array.from({ length: 14 }, () => guess(username)))
    expect(guesses.filter(({ status }) => status === 400)).toHaveLength(10)
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(4)
    await server.kernel.pool.query("DELETE FROM authentication_failure WHERE kind = 'reset'")
  }
  await settingsOf(server.kernel).set('SMS_ENABLED', false)
  expect((await browser.call('POST', SEND, { username: 'guarded', phone })).body.code).toBe('sms_off')
  expect((await guess('guarded')).body.code).toBe('sms_off')
  await settingsOf(server.kernel).set('SMS_ENABLED', true)
})
