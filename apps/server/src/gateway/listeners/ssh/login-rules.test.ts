import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { licenseSettings } from '../../../../test/license.ts'
import { type Caller, PASSWORD } from '../../../../test/server.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const ALWAYS = [0, 1, 2, 3, 4, 5, 6].map((id) => ({ id, value: '00:00~00:00' }))

let fixture: SshFixture
let reviewer: Caller
beforeAll(async () => {
  fixture = await openSshFixture({ ...licenseSettings(30), SALLYPORT_SSH_CONNECTIONS_PER_PERSON: '3' })
  reviewer = await fixture.server.aPerson('reviewer')
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM acls_login_acl')
  await pool.query('DELETE FROM tickets_ticket')
  await pool.query('DELETE FROM authentication_failure')
  await pool.query('UPDATE users_user SET mfa_level = 0, otp_secret_sealed = NULL WHERE id = $1', [fixture.person.id])
})

async function rule(action: string, rules: object = {}, user = fixture.person.id) {
  const { status } = await fixture.server.admin.post('/api/v1/acls/login-acls/', {
    name: action,
    user,
    action,
    rules: { ip_group: ['*'], time_period: ALWAYS, ...rules },
    reviewers: action === 'confirm' ? [reviewer.id] : [],
  })
  expect(status).toBe(201)
}

interface Asked {
  heading: string
  prompt: string
  answer(text: string): void
}

/**
 * Connects by key or password, then answers what is asked with `onAsk`. Answers whether it came in.
 */
function connect(
  first: 'key' | 'password' | 'wrong password',
  onAsk: (asked: Asked, client: ssh2.Client) => void,
  username = fixture.person.username,
): Promise<boolean> {
  return new Promise((resolve) => {
    const client = new Client()
    let isFirst = true
    const finish = (ready: boolean) => {
      client.end()
      resolve(ready)
    }
    client
      .on('ready', () => finish(true))
      .on('error', () => finish(false))
      .on('close', () => finish(false))
    client.connect({
      host: '127.0.0.1',
      port: fixture.port,
      username,
      // A client that waits for others is not given up.
      readyTimeout: 0,
      authHandler(_methods: unknown, _partial: unknown, next: (method: unknown) => void) {
        if (isFirst) {
          isFirst = false
          return next(
            first === 'key'
              ? { type: 'publickey', username, key: readFileSync(join(fixture.folder, 'id')) }
              : { type: 'password', username, password: first === 'password' ? PASSWORD : 'wrong' },
          )
        }
        next({
          type: 'keyboard-interactive',
          username,
          prompt(
            _name: string,
            heading: string,
            _language: string,
            asked: { prompt: string }[],
            done: (answers: string[]) => void,
          ) {
            const prompt = asked[0]?.prompt
            if (prompt === undefined) done([])
            else onAsk({ heading, prompt, answer: (text) => done([text]) }, client)
          },
        })
      },
    } as ssh2.ConnectConfig)
  })
}

const tickets = async () =>
  (await reviewer.get(`${TICKETS}?limit=10&type=login_confirm`)).body.results as {
    id: string
    state: string
    meta: object
  }[]
const decide = async (verdict: string) => {
  const [ticket] = await tickets()
  await reviewer.put(`${TICKETS}${ticket?.id}/${verdict}/`)
}

test('[A3.19] a rule that does not allow the address or the time keeps SSH clients out too, by key and by password', async () => {
  await rule('allow', { ip_group: ['10.0.0.0/8'] })
  expect(await connect('key', (_, client) => client.end())).toBe(false)
  expect(await connect('password', (_, client) => client.end())).toBe(false)
  const log = await fixture.server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')
  expect(log.body.results[0]).toMatchObject({
    username: fixture.person.username,
    status: false,
    reason: 'acl_not_allow',
    type: 'T',
  })
})

test.each([
  ['key', 'approve', true],
  ['password', 'approve', true],
  ['key', 'reject', false],
] as const)(
  '[A3.19] by %s, who must be confirmed is asked whether to wait; after %s: in %s',
  async (first, verdict, comesIn) => {
    await rule('confirm')
    const headings: string[] = []
    const cameIn = await connect(first, ({ heading, prompt, answer }) => {
      headings.push(`${heading} ${prompt}`)
      answer('')
      void expect
        .poll(async () => (await tickets()).length)
        .toBe(1)
        .then(() => decide(verdict))
    })
    expect(cameIn).toBe(comesIn)
    expect(headings).toHaveLength(1)
    expect(headings[0]).toContain('reviewer of test (reviewer)')
    expect((await tickets())[0]?.meta).toMatchObject({ apply_login_ip: '127.0.0.1' })
  },
)

test('[A3.19] a person who does not want to wait, or leaves, withdraws the ticket', async () => {
  await rule('confirm')
  expect(await connect('key', ({ answer }) => answer('n'))).toBe(false)
  await expect.poll(async () => (await tickets()).map(({ state }) => state)).toEqual(['closed'])
  await connect('key', ({ answer }, client) => {
    answer('y')
    client.end()
  })
  await expect.poll(async () => (await tickets()).map(({ state }) => state)).toEqual(['closed', 'closed'])
})

test('a person who waits for reviewers holds one of the connections that a person may have', async () => {
  const username = 'holder'
  const { id } = await fixture.server.aPerson(username)
  const held = [1, 2, 3].map(() => new Client())
  try {
    for (const client of held) {
      client.connect({ host: '127.0.0.1', port: fixture.port, username, password: PASSWORD })
      await once(client, 'ready')
    }
    await rule('confirm', {}, id)
    // Nobody decides; the reviewers are not asked any more.
    expect(await connect('password', ({ answer }) => answer('y'), username)).toBe(false)
    await expect.poll(async () => (await tickets()).map(({ state }) => state)).toEqual(['closed'])
  } finally {
    for (const client of held) client.end()
  }
})

test('[A3.19] the second factor comes before the confirmation, in one conversation', async () => {
  await rule('confirm')
  const secret = new Secret({ size: 20 }).base32
  const { pool, secrets } = fixture.server.kernel
  await pool.query('UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $2, otp_last_step = NULL WHERE id = $1', [
    fixture.person.id,
    secrets.seal(secret),
  ])
  const prompts: string[] = []
  const cameIn = await connect('key', ({ prompt, answer }) => {
    prompts.push(prompt)
    if (prompts.length === 1) answer(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
    else {
      answer('Y')
      void decide('approve')
    }
  })
  expect(cameIn).toBe(true)
  expect(prompts[0]).toBe('OTP Code: ')
  expect(prompts).toHaveLength(2)
})

test('a person of a directory comes in by SSH key, unless people may sign in only where their account is kept', async () => {
  const { server, person } = fixture
  await settingsOf(server.kernel).set('ONLY_ALLOW_AUTH_FROM_SOURCE', true)
  // Nobody else learns whose account is kept here.
  expect((await fixture.ssh(fixture.direct, 'true')).code).toBe(0)
  await settingsOf(server.kernel).set('ONLY_ALLOW_AUTH_FROM_SOURCE', false)
  await server.kernel.pool.query(`UPDATE users_user SET source = 'ldap' WHERE id = $1`, [person.id])
  try {
    expect((await fixture.ssh(fixture.direct, 'true')).code).toBe(0)
    await settingsOf(server.kernel).set('ONLY_ALLOW_AUTH_FROM_SOURCE', true)
    expect(await fixture.ssh(fixture.direct, 'true')).toMatchObject({
      code: 255,
      stderr: expect.stringContaining('Permission denied'),
    })
  } finally {
    await settingsOf(server.kernel).set('ONLY_ALLOW_AUTH_FROM_SOURCE', false)
    await server.kernel.pool.query(`UPDATE users_user SET source = 'local' WHERE id = $1`, [person.id])
  }
})

test('[A3.38] wrong passwords over SSH lock the name as everywhere', async () => {
  const { username } = fixture.person
  const attempt = () =>
    fixture.server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password: 'wrong' } })
  for (let n = 0; n < 6; n++) await attempt()
  expect(await connect('wrong password', (_, client) => client.end())).toBe(false)
  expect((await attempt()).body.error).toBe('block_login')
})
