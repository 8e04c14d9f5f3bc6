import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { terminalCommand, terminalSession } from '../../../domains/terminal/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture?.close())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const newest = async () => {
  const { body } = await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1&order=-date_start')
  return body.results[0]
}

test('a command by public key: its output, its errors and its exit code come back apart and whole, and the session is on record', async () => {
  const ran = await fixture.ssh(fixture.direct, 'echo out; echo err >&2; exit 7')
  expect({ ...ran, stdout: ran.stdout.toString() }).toEqual({ code: 7, stdout: 'out\n', stderr: 'err\n' })
  const session = await newest()
  expect(session).toMatchObject({ user: 'walker of test(walker)', login_from: 'ST', protocol: 'ssh', is_success: true })
  await expect.poll(async () => (await newest()).is_finished).toBe(true)
  const commands = await fixture.server.kernel.db.select().from(terminalCommand).where(eq(terminalCommand.session, session.id))
  expect(commands).toMatchObject([{ input: 'echo out; echo err >&2; exit 7', output: expect.stringMatching(/out\n|err\n/) }])
})

test('a password signs in too, a wrong one does not and is on record, and so is the client', async () => {
  expect((await fixture.ssh(fixture.direct, 'true', { password: PASSWORD })).code).toBe(0)
  const wrong = await fixture.ssh(fixture.direct, 'true', { password: 'wrong' })
  expect(wrong.code).toBe(255)
  expect(wrong.stderr).toContain('Permission denied')
  const { body } = await fixture.server.admin.get('/api/v1/audits/login-logs/?username=walker&limit=3')
  expect(
    body.results.map((row: Record<string, unknown>) => [row.status, (row.type as { value?: string }).value ?? row.type]),
  ).toContainEqual([false, 'T'])
  expect(JSON.stringify(body.results[0])).toContain('OpenSSH')
})

test('standard input arrives to its end, and both directions carry any bytes', async () => {
  const data = randomBytes(20 * 1024 * 1024)
  const ran = await fixture.ssh(fixture.direct, 'cat', { input: data })
  expect(ran.code).toBe(0)
  expect(sha256(ran.stdout)).toBe(sha256(data))
  const counted = await fixture.ssh(fixture.direct, 'sha256sum; exit 3', { input: data })
  expect([counted.code, counted.stdout.toString().split(' ')[0]]).toEqual([3, sha256(data)])
})

test('a login shell without a terminal takes its commands from standard input', async () => {
  const ran = await fixture.ssh(fixture.direct, undefined, { input: 'echo one\nexit 4\n', options: ['-T'] })
  expect([ran.code, ran.stdout.toString()]).toEqual([4, 'one\n'])
})

test('a command in a terminal: typed input waits for it, and nothing stands before its output', async () => {
  const ran = await fixture.ssh(fixture.direct, 'read line; echo "got $line"; tty >/dev/null && stty size', {
    input: 'hello\n',
    options: ['-tt'],
  })
  expect(ran.code).toBe(0)
  expect(ran.stdout.toString()).toMatch(/^hello\r\ngot hello\r\n\d+ \d+\r\n$/)
})

test('a signal that ends the program is told as such', async () => {
  const ran = await fixture.ssh(fixture.direct, 'kill -TERM $$')
  expect(ran.code).not.toBe(0)
  expect((await newest()).is_success).toBe(true)
})

test('variables of the language pass, others do not reach the machine', async () => {
  const { options } = fixture.clientOptions()
  const ran = await fixture.run('ssh', [...options, '-o', 'SendEnv=LANG LD_PRELOAD', fixture.direct, 'echo "$LANG,$LD_PRELOAD"'], {
    environment: { LANG: 'C.UTF-8', LD_PRELOAD: '' },
  })
  expect([ran.code, ran.stdout.toString()]).toEqual([0, expect.stringMatching(/,\n$/)])
})

test('[A6.15] a machine that is not granted is refused in plain words, with an exit code of its own', async () => {
  const ran = await fixture.ssh(`walker@${fixture.systemUser}@00000000-0000-4000-8000-000000000001@127.0.0.1`, 'true')
  expect(ran.code).toBe(255)
  expect(ran.stderr).not.toBe('')
})

test('many channels on one connection, each whole', async () => {
  const { options } = fixture.clientOptions()
  const socket = `${fixture.folder}/mux`
  const shared = [...options, '-o', `ControlPath=${socket}`]
  expect((await fixture.run('ssh', [...shared, '-o', 'ControlMaster=yes', '-o', 'ControlPersist=30', fixture.direct, 'true'])).code).toBe(0)
  const runs = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const data = randomBytes(256 * 1024)
      const ran = await fixture.run('ssh', [...shared, fixture.direct, `cat; exit ${n}`], { input: data })
      return [ran.code, sha256(ran.stdout) === sha256(data)]
    }),
  )
  expect(runs).toEqual(Array.from({ length: 8 }, (_, n) => [n, true]))
  // The shortest commands: everything of them may stand in one packet.
  for (let n = 0; n < 30; n++) {
    const { code, stdout } = await fixture.run('ssh', [...shared, fixture.direct, `echo ${n}; exit ${n}`])
    expect([code, stdout.toString()]).toEqual([n, `${n}\n`])
  }
  await fixture.run('ssh', [...shared, '-O', 'exit', fixture.direct])
})

test('forwarding of ports, agents and screens is refused', async () => {
  const { options } = fixture.clientOptions()
  const ran = await fixture.run('ssh', [...options, '-W', '127.0.0.1:22', fixture.direct])
  expect(ran.code).toBe(255)
})

test('[A6.15] disabling a person ends their sessions and their connection within seconds', async () => {
  const running = fixture.ssh(fixture.direct, 'echo up; sleep 600')
  await expect.poll(async () => (await newest()).is_finished).toBe(false)
  const url = `/api/v1/users/users/${fixture.person.id}/`
  await expect.poll(async () => (await newest()).is_success).toBe(true)
  await fixture.server.admin.patch(url, { is_active: false })
  try {
    const ran = await running
    expect(ran.code).not.toBe(0)
    expect((await fixture.ssh(fixture.direct, 'true')).code).toBe(255)
  } finally {
    await fixture.server.admin.patch(url, { is_active: true })
  }
})

test('strangers who say nothing or nonsense are many or few, and nobody else waits for them', async () => {
  const strangers = Array.from({ length: 30 }, (_, n) => {
    const socket = connect(fixture.port, '127.0.0.1')
    socket.on('error', () => {})
    if (n % 2) socket.write(randomBytes(4096))
    return socket
  })
  await expect
    .poll(() => strangers.filter((socket) => socket.destroyed || socket.readyState === 'closed').length)
    .toBeGreaterThanOrEqual(10)
  for (const socket of strangers) socket.destroy()
  expect((await fixture.ssh(fixture.direct, 'echo in')).stdout.toString()).toBe('in\n')
})

test('weak algorithms are not offered, strict key exchange is', async () => {
  const { options } = fixture.clientOptions()
  for (const weak of ['KexAlgorithms=diffie-hellman-group1-sha1', 'Ciphers=aes128-cbc', 'Ciphers=chacha20-poly1305@openssh.com']) {
    const ran = await fixture.run('ssh', ['-o', weak, '-o', 'LogLevel=INFO', ...options, fixture.direct, 'true'])
    expect([weak, ran.code, ran.stderr.includes('no matching')]).toEqual([weak, 255, true])
  }
  const { stderr } = await fixture.run('ssh', ['-o', 'LogLevel=DEBUG3', ...options, fixture.direct, 'true'])
  expect(stderr).toContain('kex-strict-s-v00@openssh.com')
  expect(stderr).toContain('aes128-gcm@openssh.com')
})

test('no session is left open', async () => {
  await expect
    .poll(async () => (await fixture.server.kernel.db.select().from(terminalSession).where(eq(terminalSession.is_finished, false))).length)
    .toBe(0)
})
