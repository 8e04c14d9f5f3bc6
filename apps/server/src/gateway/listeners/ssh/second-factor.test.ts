import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const SECRET = new Secret({ size: 20 }).base32
const codeOf = () => new TOTP({ secret: Secret.fromBase32(SECRET) }).generate()
const wrongCode = () => String((Number(codeOf()) + 500_000) % 1_000_000).padStart(6, '0')

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture?.close())
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
  | { type: 'keyboard-interactive'; username: string; answers: string[] }
  | { type: 'publickey'; username: string }

/** A client of ours that goes exactly these steps; answers the prompts it saw and whether it came in. */
function walk(steps: Step[]): Promise<{ ready: boolean; prompts: string[]; partial: boolean[] }> {
  return new Promise((resolve) => {
    const client = new ssh2.Client()
    const prompts: string[] = []
    const partial: boolean[] = []
    let done = false
    const finish = (ready: boolean) => {
      if (done) return
      done = true
      client.end()
      resolve({ ready, prompts, partial })
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
          prompt(_name: string, _text: string, _language: string, asked: { prompt: string }[], finish: (answers: string[]) => void) {
            prompts.push(...asked.map(({ prompt }) => prompt))
            finish(asked.map(() => answers.shift() ?? ''))
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
  expect(walked).toEqual({ ready: true, prompts: ['OTP Code: ', 'OTP Code: '], partial: [true, false] })
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

test('who must use a second factor and has none set up is refused', async () => {
  await fixture.server.kernel.pool.query('UPDATE users_user SET otp_secret_sealed = NULL WHERE id = $1', [fixture.person.id])
  const { username } = fixture.person
  expect((await walk([{ type: 'password', username, password: PASSWORD }])).ready).toBe(false)
})
