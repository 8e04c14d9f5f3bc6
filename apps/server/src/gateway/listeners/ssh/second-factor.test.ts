import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { type SmsProviders, startSmsProviders, TENCENT } from '../../../domains/sms/provider-fixture.ts'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const SECRET = new Secret({ size: 20 }).base32
const codeOf = () => new TOTP({ secret: Secret.fromBase32(SECRET) }).generate()
const wrongCode = () => String((Number(codeOf()) + 500_000) % 1_000_000).padStart(6, '0')

let providers: SmsProviders
let fixture: SshFixture
beforeAll(async () => {
  providers = await startSmsProviders()
  fixture = await openSshFixture({ SALLYPORT_SMS_TENCENT_URL: providers.url })
})
afterAll(async () => {
  await fixture?.close()
  await providers?.close()
})
/** The person has an app, no code of it was used, and nothing is locked. */
beforeEach(async () => {
  const { pool, secrets } = fixture.server.kernel
  await pool.query('UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $2, otp_last_step = NULL WHERE id = $1', [
    fixture.person.id,
    secrets.seal(SECRET),
  ])
  await pool.query('DELETE FROM authentication_failure')
})

/** OpenSSH whose answers to questions, and to the one for a password, come from `answer`. */
const withCode = (answer: string, methods: string) => ({
  password: answer,
  options: ['-o', `PreferredAuthentications=${methods}`, ...KEY()],
})
const KEY = () => ['-o', `IdentityFile=${join(fixture.folder, 'id')}`, '-o', 'IdentitiesOnly=yes']

test('with a key, OpenSSH is asked for the code and comes in', async () => {
  const { options, environment } = fixture.clientOptions({ password: codeOf() })
  const mine = options.map((option) => (option === 'PubkeyAuthentication=no' ? 'PubkeyAuthentication=yes' : option))
  const ran = await fixture.run('ssh', [...mine, ...KEY(), fixture.direct, 'echo in'], { environment })
  expect([ran.code, ran.stdout.toString()]).toEqual([0, 'in\n'])
})

test('a key, or a password, alone does not come in', async () => {
  expect((await fixture.ssh(fixture.direct, 'true')).code).toBe(255)
  expect((await fixture.ssh(fixture.direct, 'true', withCode(PASSWORD, 'password'))).code).toBe(255)
})

type Step =
  | { type: 'password'; username: string; password: string }
  | { type: 'keyboard-interactive'; username: string; answers: (string | (() => string))[] }
  | { type: 'publickey'; username: string }

/**
 * A client of ours that goes exactly these steps; answers the prompts it saw and whether it came
 * in.
 */
function walk(steps: Step[]): Promise<{ ready: boolean; prompts: string[]; partial: boolean[]; headings: string[] }> {
  return new Promise((resolve) => {
    const client = new Client()
    const prompts: string[] = []
    const headings: string[] = []
    const partial: boolean[] = []
    let done = false
    const finish = (ready: boolean) => {
      if (done) return
      done = true
      client.end()
      resolve({ ready, prompts, partial, headings })
    }
    const left = [...steps]
    client
      .on('ready', () => finish(true))
      .on('error', () => finish(false))
      .on('close', () => finish(false))
    client.connect({
      host: '127.0.0.1',
      port: fixture.port,
      username: steps[0]?.username ?? '',
      // @ts-expect-error the handler's types know only complete methods
      authHandler(_methods: unknown, isPartial: boolean | null, next: (method: unknown) => void) {
        if (isPartial !== null) partial.push(isPartial)
        const step = left.shift()
        if (!step) return next(false)
        if (step.type === 'publickey') return next({ ...step, key: readFileSync(join(fixture.folder, 'id')) })
        if (step.type === 'password') return next(step)
        const answers = [...step.answers]
        return next({
          type: step.type,
          username: step.username,
          prompt(
            _name: string,
            text: string,
            _language: string,
            asked: { prompt: string }[],
            finish: (answers: string[]) => void,
          ) {
            headings.push(text)
            prompts.push(...asked.map(({ prompt }) => prompt))
            finish(
              asked.map(() => answers.shift() ?? '').map((answer) => (typeof answer === 'string' ? answer : answer())),
            )
          },
        })
      },
    })
  })
}

test('by questions, the password and then the code are asked for in one conversation', async () => {
  const { username } = fixture.person
  const walked = await walk([{ type: 'keyboard-interactive', username, answers: [PASSWORD, codeOf()] }])
  expect(walked).toMatchObject({ ready: true, prompts: ['Password: ', 'OTP Code: '] })
})

test('after a password the sign-in has succeeded in part; a wrong code fails the try, the right one comes in', async () => {
  const { username } = fixture.person
  const walked = await walk([
    { type: 'password', username, password: PASSWORD },
    { type: 'keyboard-interactive', username, answers: [wrongCode()] },
    { type: 'keyboard-interactive', username, answers: [codeOf()] },
  ])
  expect(walked).toMatchObject({ ready: true, prompts: ['OTP Code: ', 'OTP Code: '], partial: [true, false] })
})

test('no order of methods skips the code: not the password twice, not a key after the password, not another name', async () => {
  const { username } = fixture.person
  const password = { type: 'password' as const, username, password: PASSWORD }
  const key = { type: 'publickey' as const, username }
  for (const steps of [
    [password, password],
    [password, key, password],
    [key, password, key],
    [password, { ...password, username: 'admin', password: 'x' }],
    [password, { type: 'keyboard-interactive' as const, username: `${username}@root@127.0.0.1`, answers: [codeOf()] }],
    [{ type: 'keyboard-interactive' as const, username, answers: [codeOf(), codeOf()] }],
  ])
    expect((await walk(steps)).ready).toBe(false)
})

test('a code that came in once does not come in again', async () => {
  const { username } = fixture.person
  const code = codeOf()
  const steps = (): Step[] => [
    { type: 'password', username, password: PASSWORD },
    { type: 'keyboard-interactive', username, answers: [code] },
  ]
  expect((await walk(steps())).ready).toBe(true)
  expect((await walk(steps())).ready).toBe(false)
})

test('[A1.19] until somebody has proven who they are, words are in the installation’s language; then in their own', async () => {
  const { app } = fixture.server.kernel
  const { username } = fixture.person
  app.installationLanguage = 'cn'
  const again = { type: 'keyboard-interactive' as const, username }
  const { headings } = await walk([
    { ...again, answers: ['wrong'] },
    { ...again, answers: [PASSWORD, wrongCode()] },
    { ...again, answers: [codeOf] },
  ])
  app.installationLanguage = 'en'
  expect(headings).toEqual([
    expect.stringMatching(/^[\u4e00-\u9fff，。]+$/),
    expect.stringMatching(/[\u4e00-\u9fff]/),
    expect.any(String),
    expect.stringMatching(/^[ -~]+$/),
  ])
})

test('a person who must use a second factor and has none set up is refused', async () => {
  await fixture.server.kernel.pool.query('UPDATE users_user SET otp_secret_sealed = NULL WHERE id = $1', [
    fixture.person.id,
  ])
  const { username } = fixture.person
  expect((await walk([{ type: 'password', username, password: PASSWORD }])).ready).toBe(false)
})

const answers = (...given: (string | (() => string))[]): Step[] => [
  { type: 'keyboard-interactive', username: fixture.person.username, answers: [PASSWORD, ...given] },
]
const sent = () => providers.messages.at(-1)?.code ?? ''

test('with several ways people choose one; a code that is sent counts on this connection only, and the other way is available after a fault', async () => {
  const { pool } = fixture.server.kernel
  const change = (values: object) => settingsOf(fixture.server.kernel).change(values)
  await pool.query("UPDATE users_user SET phone = '13800138000' WHERE id = $1", [fixture.person.id])
  await change({
    SMS_ENABLED: true,
    SMS_BACKEND: 'tencent',
    TENCENT_SECRET_ID: TENCENT.id,
    TENCENT_SECRET_KEY: TENCENT.secret,
    TENCENT_SDKAPPID: '1400000000',
    TENCENT_VERIFY_SIGN_NAME: 'Sign',
    TENCENT_VERIFY_TEMPLATE_CODE: '1',
  })
  const later = () => pool.query("UPDATE authentication_sms_code SET date_sent = date_sent - interval '61 seconds'")
  const byNumber = await walk(answers('7', '2', sent))
  expect(byNumber).toMatchObject({ ready: true, prompts: ['Password: ', 'Option> ', 'Option> ', 'SMS Code: '] })
  expect(byNumber.headings[1]).toBe('1. OTP\n2. SMS')
  expect(providers.messages).toHaveLength(1)
  // A second connection within the minute: the phone gets no code, and the one that it got is used
  // up and another's.
  const soon = await walk(answers('sms', 'otp', codeOf))
  expect(soon).toMatchObject({ ready: true, prompts: ['Password: ', 'Option> ', 'Option> ', 'OTP Code: '] })
  expect(soon.headings[2]).toMatch(/^A code was sent a moment ago/)
  await later()
  // A wrong code ends the try and keeps choice and message for the next.
  const again = await walk([
    ...answers('sms', () => (sent().startsWith('9') ? '8' : '9') + sent().slice(1)),
    ...answers(sent).map((step) => ({ ...step, answers: [sent] })),
  ])
  expect(again).toMatchObject({ ready: true, prompts: ['Password: ', 'Option> ', 'SMS Code: ', 'SMS Code: '] })
  expect(providers.messages).toHaveLength(2)
  // Nobody is asked to choose where it is the only way; a person who keeps sending empty answers is
  // disconnected.
  await pool.query('UPDATE users_user SET otp_secret_sealed = NULL WHERE id = $1', [fixture.person.id])
  await later()
  const only = await walk(answers('', '', '', '', '', ''))
  expect([only.ready, only.prompts[1]]).toEqual([false, 'SMS Code: '])
  expect(only.prompts.length).toBeLessThan(8)
  await change({ SMS_ENABLED: false })
})
