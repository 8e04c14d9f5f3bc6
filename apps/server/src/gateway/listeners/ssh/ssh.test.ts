import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer } from 'node:net'
import { eq } from 'drizzle-orm'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { startSshd } from '../../../domains/assets/sshd-fixture.ts'
import { terminalCommand, terminalSession } from '../../../domains/terminal/tables.ts'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture?.close())

/** Handlers of the library for each message of the protocol, by its number. */
const MESSAGE_HANDLERS = createRequire(import.meta.url)('ssh2/lib/protocol/handlers.js')

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const newest = async () => {
  const { body } = await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1&order=-date_start')
  return body.results[0]
}

/**
 * A client that tells what the server answered to each request: OpenSSH's ends with the same code
 * whatever was refused.
 */
async function aClient(destination = fixture.direct): Promise<ssh2.Client> {
  const client = new Client()
  client.connect({
    host: '127.0.0.1',
    port: fixture.port,
    username: destination.slice(0, destination.lastIndexOf('@')),
    privateKey: readFileSync(`${fixture.folder}/id`),
    authHandler: ['publickey'],
    agent: `${fixture.folder}/agent`,
    strictVendor: false,
  })
  await once(client, 'ready')
  return client
}

interface Ending {
  stdout: string
  stderr: string
  /** Null where a signal ended it. */
  status: number | null
  signal: string | undefined
}

/** Runs a command to its end, as reported in the protocol's own words (RFC 4254 §6.10). */
async function endOf(client: ssh2.Client, command: string, options: ssh2.ExecOptions = {}): Promise<Ending> {
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.exec(command, options, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const output = { stdout: '', stderr: '' }
  channel.on('data', (bytes: Buffer) => (output.stdout += bytes))
  channel.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes))
  const exit = once(channel, 'exit')
  await once(channel, 'close')
  const [status, signal] = await exit
  return { ...output, status, signal }
}

test('a command by public key: its output, its errors and its exit code come back apart and whole, and the session is on record', async () => {
  const ran = await fixture.ssh(fixture.direct, 'echo out; echo err >&2; exit 7')
  expect({ ...ran, stdout: ran.stdout.toString() }).toEqual({ code: 7, stdout: 'out\n', stderr: 'err\n' })
  const session = await newest()
  expect(session).toMatchObject({ user: 'walker of test(walker)', login_from: 'ST', protocol: 'ssh', is_success: true })
  await expect.poll(async () => (await newest()).is_finished).toBe(true)
  const commands = await fixture.server.kernel.db
    .select()
    .from(terminalCommand)
    .where(eq(terminalCommand.session, session.id))
  expect(commands).toMatchObject([
    { input: 'echo out; echo err >&2; exit 7', output: expect.stringMatching(/out\n|err\n/) },
  ])
})

test('a password signs in too, a wrong one does not and is on record, and so is the client', async () => {
  expect((await fixture.ssh(fixture.direct, 'true', { password: PASSWORD })).code).toBe(0)
  const wrong = await fixture.ssh(fixture.direct, 'true', { password: 'wrong' })
  expect(wrong.code).toBe(255)
  expect(wrong.stderr).toContain('Permission denied')
  const { body } = await fixture.server.admin.get('/api/v1/audits/login-logs/?username=walker&limit=3')
  expect(
    body.results.map((row: Record<string, unknown>) => [
      row.status,
      (row.type as { value?: string }).value ?? row.type,
    ]),
  ).toContainEqual([false, 'T'])
  expect(JSON.stringify(body.results[0])).toContain('OpenSSH')
})

test('a request to change the password while signing in is refused, and is no fault of ours (RFC 4252 §8)', async () => {
  const faults = vi.spyOn(fixture.server.kernel.app.log, 'error')
  const client = new Client()
  const [username, password] = [fixture.direct.slice(0, fixture.direct.lastIndexOf('@')), PASSWORD]
  client.connect({ host: '127.0.0.1', port: fixture.port, username, password, authHandler: ['password'] })
  const protocol = (client as unknown as { _protocol: { authPassword(...words: string[]): void } })._protocol
  const send = protocol.authPassword.bind(protocol)
  protocol.authPassword = (name = '', former = '') => send(name, former, 'Another-person-2')
  const [refusal] = await once(client, 'error')
  expect(String(refusal)).toContain('authentication methods failed')
  expect(faults).not.toHaveBeenCalled()
  faults.mockRestore()
  expect((await fixture.ssh(fixture.direct, 'true', { password: PASSWORD })).code).toBe(0)
})

test('an RSA key that is offered is accepted under the algorithm of the offer, which Go’s clients insist on (RFC 4252 §7)', async () => {
  const key = `${fixture.folder}/rsa`
  await fixture.run('ssh-keygen', ['-q', '-t', 'rsa', '-N', '', '-f', key])
  const stored = { public_key: readFileSync(`${key}.pub`, 'utf8') }
  expect((await fixture.person.put('/api/v1/users/profile/public-key/', stored)).status).toBe(200)
  const algorithms: string[] = []
  const PK_OK = 60
  const takeOk = MESSAGE_HANDLERS[PK_OK]
  MESSAGE_HANDLERS[PK_OK] = (protocol: unknown, payload: Buffer) => {
    algorithms.push(payload.toString('latin1', 5, 5 + payload.readUInt32BE(1)))
    return takeOk(protocol, payload)
  }
  try {
    const client = new Client()
    const username = fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))
    const privateKey = readFileSync(key)
    client.connect({ host: '127.0.0.1', port: fixture.port, username, privateKey, authHandler: ['publickey'] })
    await once(client, 'ready')
    client.end()
  } finally {
    MESSAGE_HANDLERS[PK_OK] = takeOk
    const own = { public_key: readFileSync(`${fixture.folder}/id.pub`, 'utf8') }
    expect((await fixture.person.put('/api/v1/users/profile/public-key/', own)).status).toBe(200)
  }
  expect(algorithms).toEqual([expect.stringMatching(/^rsa-sha2-(256|512)$/)])
})

test('a machine that goes away in the middle is reported: 255 and a line among the errors, a notice at a terminal', async () => {
  // The process that serves the session at the machine is killed.
  const ran = await fixture.ssh(fixture.direct, 'kill -9 $PPID; sleep 5')
  expect([ran.code, ran.stderr]).toEqual([255, 'The connection to the machine was lost\n'])
  const shown = await fixture.ssh(fixture.direct, undefined, { options: ['-tt'], input: 'kill -9 $PPID\n' })
  expect(shown.code).toBe(255)
  expect(shown.stdout.toString()).toContain('The connection to the machine was lost')
})

test('a program whose output nobody reads any more ends, as it does on a direct connection', async () => {
  const { options } = fixture.clientOptions()
  const ran = await fixture.run('sh', ['-c', '"$@" | head -n 1', 'sh', 'ssh', ...options, fixture.direct, 'yes'])
  expect(ran.stdout.toString()).toBe('y\n')
  await expect.poll(async () => (await newest()).is_finished).toBe(true)
  // One that ignores it is notified no more than once, and dropped when it sends on and on.
  const deaf = await fixture.run('sh', [
    '-c',
    '"$@" | head -n 1',
    ...['sh', 'ssh', ...options, fixture.direct, "trap '' PIPE; exec yes"],
  ])
  expect(deaf.stdout.toString()).toBe('y\n')
  // A program that reads to its end, or writes to a file alone, is not disturbed.
  const whole = await fixture.ssh(fixture.direct, 'seq 100000 | tail -n 1')
  expect({ ...whole, stdout: whole.stdout.toString() }).toEqual({ code: 0, stdout: '100000\n', stderr: '' })
})

test('[A1.19] a client that says nothing of its language is answered in the one that the person has chosen, else in the installation’s', async () => {
  const { pool, app } = fixture.server.kernel
  const chooses = (language: string | null) =>
    pool.query('UPDATE users_user SET language = $1 WHERE id = $2', [language, fixture.person.id])
  const refusal = async () => (await fixture.ssh(`${fixture.person.username}@nobody@nowhere@127.0.0.1`, 'true')).stderr
  const [english, chinese] = ['You were granted no asset nowhere\n', /^[\u4e00-\u9fff]/]
  for (const installation of ['en', 'cn', 'browser'] as const) {
    app.installationLanguage = installation
    await chooses(null)
    expect(await refusal()).toMatch(installation === 'en' ? english : chinese)
    await chooses('cn')
    expect(await refusal()).toMatch(chinese)
    await chooses('en')
    expect(await refusal()).toBe(english)
  }
  app.installationLanguage = 'en'
  await chooses(null)
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

test('a command in a terminal: typed input waits for it, and nothing is before its output', async () => {
  const ran = await fixture.ssh(fixture.direct, 'read line; echo "got $line"; tty >/dev/null && stty size', {
    input: 'hello\n',
    options: ['-tt'],
  })
  expect(ran.code).toBe(0)
  expect(ran.stdout.toString()).toMatch(/^hello\r\ngot hello\r\n\d+ \d+\r\n$/)
})

test('exit codes of programs come back as they are, and a signal that ends one is reported as such', async () => {
  const client = await aClient()
  for (const status of [0, 1, 126, 127, 254, 255])
    expect(await endOf(client, `exit ${status}`)).toEqual({ stdout: '', stderr: '', status, signal: undefined })
  expect(await endOf(client, 'kill -TERM $$')).toEqual({ stdout: '', stderr: '', status: null, signal: 'SIGTERM' })
  expect(await endOf(client, 'echo still here')).toMatchObject({ stdout: 'still here\n', status: 0 })
  client.end()
  expect((await newest()).is_success).toBe(true)
})

test('variables of the language pass, others do not reach a machine that would take every one, nor do more than a few', async () => {
  const open = await startSshd({ config: 'AcceptEnv *\n' })
  try {
    const { target, systemUser } = await fixture.target(
      { port: open.port, ip: 'localhost' },
      { username: open.username, private_key: open.privateKey },
    )
    const { options } = fixture.clientOptions()
    const sent = ['-o', 'SendEnv=LANG LC_TELEPHONE LD_PRELOAD_ LC_ALLES_1 BASH_ENV_']
    const destination = `walker@${systemUser}@${target}@127.0.0.1`
    const ran = await fixture.run(
      'ssh',
      [...options, ...sent, destination, 'echo "$LANG,$LC_TELEPHONE,$LD_PRELOAD_,$LC_ALLES_1,$BASH_ENV_"'],
      {
        environment: { LANG: 'C.UTF-8', LC_TELEPHONE: 'C', LD_PRELOAD_: 'evil', LC_ALLES_1: 'evil', BASH_ENV_: 'evil' },
      },
    )
    expect([ran.code, ran.stdout.toString()]).toEqual([0, 'C.UTF-8,C,,,\n'])
    // There is no end of names that begin so, and each would be kept.
    const names = Array.from(
      { length: 300 },
      (_, n) => `LC_${String.fromCharCode(65 + (n % 26), 65 + Math.floor(n / 26))}`,
    )
    const env = Object.fromEntries([`LC_${'A'.repeat(30_000)}`, ...names].map((name) => [name, 'C']))
    const client = await aClient(destination)
    const { stdout } = await endOf(client, 'env | grep ^LC_', { env })
    client.end()
    expect(stdout.trim().split('\n').sort()).toEqual(
      names
        .slice(0, 64)
        .map((name) => `${name}=C`)
        .sort(),
    )
  } finally {
    await open.close()
  }
})

test('[A6.15] a machine that is not granted is refused like one that there is not: in plain words, and with exit status 255', async () => {
  const notGranted = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'not-granted',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  for (const asset of [notGranted, 'not-granted', '00000000-0000-4000-8000-000000000001', 'nowhere']) {
    const client = await aClient(`walker@${fixture.systemUser}@${asset}@127.0.0.1`)
    const refused = { stdout: '', stderr: `You were granted no asset ${asset}\n`, status: 255, signal: undefined }
    expect(await endOf(client, 'true', { env: { LANG: 'en_US.UTF-8' } })).toEqual(refused)
    client.end()
  }
  const stranger = await aClient(`walker@nobody@${fixture.asset}@127.0.0.1`)
  // Here they may know of the machine, and why not.
  const words = `You were granted no system user nobody on ${fixture.asset}\nWhy, and what helps: `
  const refused = { stderr: expect.stringContaining(words), status: 255 }
  expect(await endOf(stranger, 'true', { env: { LANG: 'en_US.UTF-8' } })).toMatchObject(refused)
  stranger.end()
})

test('a person whose permission does not count now reads where to see why, at an address of one line', async () => {
  const { server, person, asset, systemUser } = fixture
  const permissions = '/api/v1/perms/asset-permissions/'
  const own: { id: string }[] = (await server.admin.get(`${permissions}?user_id=${person.id}`)).body
  const switchAll = (is_active: boolean) =>
    server.admin.patch(
      permissions,
      own.map(({ id }) => ({ id, is_active })),
    )
  expect((await switchAll(false)).status).toBe(200)
  const { code, stderr } = await fixture.ssh(fixture.direct, 'true')
  expect((await switchAll(true)).status).toBe(200)
  const [notice, why = ''] = stderr.split('\n')
  expect([code, notice]).toEqual([255, 'You were granted no asset 127.0.0.1'])
  const address = /^Why, and what helps: (http\S+)$/.exec(why)?.[1] ?? ''
  expect(new URL(address).pathname.length).toBeLessThan(52)
  const { status, headers } = await server.call('GET', new URL(address).pathname)
  expect([status, headers.location]).toEqual([302, `/ui/perms/own-access?asset=${asset}&system_user=${systemUser}`])
  expect((await server.call('GET', '/why/nothing')).status).toBe(404)
})

test('many channels on one connection, each whole', async () => {
  const { options } = fixture.clientOptions()
  const socket = `${fixture.folder}/mux`
  const shared = [...options, '-o', `ControlPath=${socket}`]
  expect(
    (
      await fixture.run('ssh', [
        ...shared,
        '-o',
        'ControlMaster=yes',
        '-o',
        'ControlPersist=30',
        fixture.direct,
        'true',
      ])
    ).code,
  ).toBe(0)
  const runs = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const data = randomBytes(256 * 1024)
      const ran = await fixture.run('ssh', [...shared, fixture.direct, `cat; exit ${n}`], { input: data })
      return [ran.code, sha256(ran.stdout) === sha256(data)]
    }),
  )
  expect(runs).toEqual(Array.from({ length: 8 }, (_, n) => [n, true]))
  // The shortest commands: everything of them may be in one packet.
  for (let n = 0; n < 30; n++) {
    const { code, stdout } = await fixture.run('ssh', [...shared, fixture.direct, `echo ${n}; exit ${n}`])
    expect([code, stdout.toString()]).toEqual([n, `${n}\n`])
  }
  await fixture.run('ssh', [...shared, '-O', 'exit', fixture.direct])
})

test('forwards of ports, sockets, the agent and X11 are each refused by policy, on a connection that goes on', async () => {
  let reached = 0
  const service = createServer((socket) => void socket.end(`reached ${++reached}`)).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const client = await aClient()
  const answerTo = (ask: (answer: (error?: Error | boolean | null) => void) => void) =>
    new Promise<unknown>((resolve) => ask((error) => resolve(error || 'allowed')))
  expect(await endOf(client, 'echo before')).toMatchObject({ stdout: 'before\n', status: 0 })
  // RFC 4254 §5.1: 1 is "administratively prohibited"; where nobody listens, it would be 2.
  const prohibited = expect.objectContaining({ reason: 1 })
  expect(await answerTo((answer) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, answer))).toEqual(prohibited)
  expect(await answerTo((answer) => client.openssh_forwardOutStreamLocal('/run/nothing', answer))).toEqual(prohibited)
  const failed = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) })
  expect(await answerTo((answer) => client.forwardIn('127.0.0.1', 0, answer))).toEqual(failed('Unable to bind'))
  expect(await answerTo((answer) => client.openssh_forwardInStreamLocal('/run/nothing', answer))).toEqual(
    failed('Unable to bind'),
  )
  for (const [option, refusal] of [
    [{ agentForward: true }, 'Unable to request agent forwarding'],
    [{ x11: true }, 'Unable to request X11'],
  ] as const)
    expect(await answerTo((answer) => client.exec('true', option as ssh2.ExecOptions, answer))).toEqual(failed(refusal))
  expect(await endOf(client, 'echo "after $SSH_AUTH_SOCK$DISPLAY"')).toMatchObject({ stdout: 'after \n', status: 0 })
  client.end()
  // OpenSSH's client tells its person the same.
  const { options } = fixture.clientOptions()
  const tried = await fixture.run('ssh', ['-o', 'LogLevel=INFO', ...options, '-W', `127.0.0.1:${port}`, fixture.direct])
  expect([tried.code, tried.stderr]).toEqual([255, expect.stringContaining('administratively prohibited')])
  expect(reached).toBe(0)
  service.close()
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
    // Read, or the end of the connection would go unnoticed.
    socket.on('error', () => {}).resume()
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
  for (const weak of ['KexAlgorithms=diffie-hellman-group1-sha1', 'Ciphers=aes128-cbc']) {
    const ran = await fixture.run('ssh', ['-o', weak, '-o', 'LogLevel=INFO', ...options, fixture.direct, 'true'])
    expect([weak, ran.code, ran.stderr.includes('no matching')]).toEqual([weak, 255, true])
  }
  const { stderr } = await fixture.run('ssh', ['-o', 'LogLevel=DEBUG3', ...options, fixture.direct, 'true'])
  expect(stderr).toContain('kex-strict-s-v00@openssh.com')
  expect(stderr).toContain('aes128-gcm@openssh.com')
})

test('no session is left open', async () => {
  await expect
    .poll(
      async () =>
        (await fixture.server.kernel.db.select().from(terminalSession).where(eq(terminalSession.is_finished, false)))
          .length,
    )
    .toBe(0)
})
