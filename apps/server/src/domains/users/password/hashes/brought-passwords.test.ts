import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestBrowser } from '../../../../../test/browser.ts'
import { PASSWORD } from '../../../../../test/server.ts'
import { openSshFixture, type SshFixture } from '../../../../gateway/listeners/ssh/ssh-fixture.ts'
import { Threads } from '../../../../kernel/threads.ts'
import { settingsOf } from '../../../settings/index.ts'
import { hashPassword, isPasswordOf } from '../password.ts'
import { BY_DJANGO } from './django-fixture.ts'

/** Hashes of PASSWORD as an import stores them, one of each way. */
const HASHES = BY_DJANGO.filter(([password]) => password === PASSWORD).map(([, text]) => text)
const [SHA256 = ''] = HASHES

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture()
  await settingsOf(fixture.server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
})
afterAll(() => fixture?.close())
beforeEach(() => fixture.server.kernel.pool.query('DELETE FROM authentication_failure'))

const query = (text: string, values: unknown[] = []) => fixture.server.kernel.pool.query(text, values)
const hashOf = async (username: string): Promise<string> =>
  (await query('SELECT password_hash FROM users_user WHERE username = $1', [username])).rows[0]?.password_hash
const byApi = (username: string, password: string) =>
  fixture.server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })

/** A person with a hash that an import brought, also as their last password. */
async function brought(username: string, hash: string, history = [hash]) {
  const { id } = await fixture.server.aPerson(username)
  await query('UPDATE users_user SET password_hash = $2 WHERE id = $1', [id, hash])
  await query('DELETE FROM users_password_history WHERE user_id = $1', [id])
  for (const one of history)
    await query('INSERT INTO users_password_history (user_id, password_hash) VALUES ($1, $2)', [id, one])
  return id
}

test('[A1.01] a password that an import brought signs its person in, and is hashed again by that', async () => {
  for (const [place, hash] of HASHES.entries()) {
    const username = `brought-${place}`
    const id = await brought(username, hash)
    const dates = () =>
      query('SELECT date_password_last_updated, need_update_password FROM users_user WHERE id = $1', [id])
    const before = (await dates()).rows
    if (hash === SHA256) {
      expect((await byApi(username, 'Guarded-door-2')).body.error).toBe('password_failed')
      expect(await hashOf(username)).toBe(hash)
    }
    expect((await byApi(username, PASSWORD)).status).toBe(201)
    expect(await hashOf(username)).toMatch(/^\$argon2id\$/)
    // The same password: neither its date changes nor the number of earlier ones.
    expect((await dates()).rows).toEqual(before)
    const { rows } = await query('SELECT password_hash FROM users_password_history WHERE user_id = $1', [id])
    expect(rows).toEqual([{ password_hash: await hashOf(username) }])
    expect((await byApi(username, PASSWORD)).status).toBe(201)
    expect((await byApi(username, 'Guarded-door-2')).body.error).toBe('password_failed')
  }
})

test('it is taken by the page, by ssh, and where it is asked for once more', async () => {
  const name = await brought('by-page', SHA256).then(() => 'by-page')
  const answer = await openTestBrowser(fixture.server).call('POST', '/core/auth/login/', {
    username: name,
    password: PASSWORD,
  })
  expect(answer.status).toBe(200)
  expect(await hashOf(name)).toMatch(/^\$argon2id\$/)

  await query('UPDATE users_user SET password_hash = $2 WHERE username = $1', [fixture.person.username, SHA256])
  expect(await fixture.ssh(fixture.direct, 'echo in', { password: 'Guarded-door-2' })).toMatchObject({ code: 255 })
  const { code, stdout } = await fixture.ssh(fixture.direct, 'echo in', { password: PASSWORD })
  expect([code, stdout.toString()]).toEqual([0, 'in\n'])
  expect(await hashOf(fixture.person.username)).toMatch(/^\$argon2id\$/)

  await query('UPDATE users_user SET password_hash = $2 WHERE username = $1', [fixture.person.username, SHA256])
  const changed = await fixture.person.put('/api/v1/users/profile/password/', {
    old_password: PASSWORD,
    new_password: 'Guarded-door-3',
    new_password_again: 'Guarded-door-3',
  })
  expect(changed.status).toBe(200)
  const { status } = await byApi(fixture.person.username, 'Guarded-door-3')
  expect(status).toBe(201)
})

test('[A5.04] an earlier password that an import brought is not taken as a new one', async () => {
  await brought('returned', SHA256, [HASHES[2] ?? '', SHA256])
  const first = await fixture.server.signIn('returned', PASSWORD)
  const to = (caller: typeof first, old_password: string, next: string) =>
    caller.put('/api/v1/users/profile/password/', { old_password, new_password: next, new_password_again: next })
  expect((await to(first, PASSWORD, 'Guarded-door-3')).status).toBe(200)
  const second = await fixture.server.signIn('returned', 'Guarded-door-3')
  // Also by the hash that nobody has proven since.
  await query(`DELETE FROM users_password_history WHERE password_hash LIKE '$argon2%' AND user_id = $1`, [second.id])
  const { status, body } = await to(second, 'Guarded-door-3', PASSWORD)
  expect([status, Object.keys(body)]).toEqual([400, ['new_password']])
})

test('a password of more than 1,024 characters is none, whatever is stored', async () => {
  const { kernel } = fixture.server
  for (const [password, is] of [
    ['x'.repeat(1024), true],
    ['x'.repeat(1025), false],
  ] as const) {
    const person = { id: fixture.person.id, password_hash: await hashPassword(password) }
    expect(
      await isPasswordOf(kernel, person, { password, username: fixture.person.username, address: '127.0.0.1' }),
    ).toBe(is)
  }
})

test('a hash that cannot be used, or asks for endless work, signs nobody in and keeps nobody waiting', async () => {
  for (const [place, hash] of [
    '!LimuY881hnL1qrvdqDhsif11mFmWmswM1eqpAAFf',
    SHA256.replace('$260000$', '$999999999999$'),
    SHA256.replace('$260000$', '$9999999$'),
    'argon2$argon2id$v=19$m=9999999,t=999,p=999$WUJKU3pKQ0VMcXJZWVphb2tuYnpUTQ$N8MF/WpYjldzjHrV4Iq13Q',
    'bcrypt_sha256$$2b$31$UYl0TMhJzI.uDZWTGi6lW.bEMqIRD/k8fsySlFNV8xH8z7TnvSbda',
  ].entries()) {
    await brought(`hostile-${place}`, hash)
    expect((await byApi(`hostile-${place}`, PASSWORD)).body.error).toBe('password_failed')
    expect(await hashOf(`hostile-${place}`)).toBe(hash)
  }
})

test('a password that was changed while the old one was compared is not put back', async () => {
  const id = await brought('changed-meanwhile', SHA256)
  const run = vi.spyOn(Threads.prototype, 'run').mockImplementationOnce(async () => {
    await query(`UPDATE users_user SET password_hash = 'changed' WHERE id = $1`, [id])
    return true
  })
  try {
    await byApi('changed-meanwhile', PASSWORD)
    expect(run).toHaveBeenCalledOnce()
  } finally {
    run.mockRestore()
  }
  expect(await hashOf('changed-meanwhile')).toBe('changed')
})

test('[A3.38] the work of a wrong password says nothing about a name: nobody has hashes like somebody', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `nobody-${n}`)
  const run = vi.spyOn(Threads.prototype, 'run').mockResolvedValue(false)
  /** The names that are compared with a hash of others, and its count of iterations. */
  const compared = async () => {
    const found = new Map<string, number>()
    for (const name of names) {
      run.mockClear()
      await byApi(name, 'Guarded-door-2')
      const [task] = run.mock.calls[0] ?? []
      if (task) found.set(name, (task as { way: { iterations: number } }).way.iterations)
      await query('DELETE FROM authentication_failure')
    }
    return found
  }
  // The hashes are counted again after a minute.
  const aMinuteLater = () => {
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000)
  }
  try {
    await query(`UPDATE users_user SET password_hash = $1 WHERE username <> 'admin'`, [SHA256])
    aMinuteLater()
    const all = await compared()
    const people =
      (await query(`SELECT 1 FROM users_user WHERE source = 'local' AND password_hash IS NOT NULL`)).rowCount ?? 0
    expect([...new Set(all.values())]).toEqual([260_000])
    expect(all.size / names.length).toBeGreaterThan((people - 2) / people - 0.15)
    expect(await compared()).toEqual(all)
    vi.mocked(Date.now).mockRestore()

    // As people sign in, names that nobody has turn to the new way, and none turns back.
    await query(
      `UPDATE users_user SET password_hash = (SELECT password_hash FROM users_user WHERE username = 'admin') WHERE username LIKE 'brought-%'`,
    )
    const later = Date.now() + 122_000
    vi.spyOn(Date, 'now').mockImplementation(() => later)
    const some = await compared()
    expect(some.size).toBeLessThan(all.size)
    expect(some.size).toBeGreaterThan(0)
    expect([...some.keys()].filter((name) => !all.has(name))).toEqual([])
  } finally {
    vi.mocked(Date.now).mockRestore()
    run.mockRestore()
  }
})
