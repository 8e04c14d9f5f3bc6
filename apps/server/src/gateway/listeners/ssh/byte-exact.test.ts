/**
 * Bytes through a session arrive whole, in order, with its exit code, whatever closes first. Random
 * cases; a failure names its seed.
 */
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeSystemAccount, startSshd } from '../../../domains/assets/sshd-fixture.ts'
import { terminalCommand } from '../../../domains/terminal/tables.ts'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
let client: ssh2.Client
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const [username, systemUser, asset] = fixture.direct.split('@')
  client = await connected(`${username}@${systemUser}@${asset}`)
})
afterEach(() => client.end())

function connected(username: string): Promise<ssh2.Client> {
  return new Promise((resolve, reject) => {
    const connecting = new Client()
    connecting.once('ready', () => resolve(connecting)).once('error', reject)
    connecting.connect({
      host: '127.0.0.1',
      port: fixture.port,
      username,
      privateKey: readFileSync(join(fixture.folder, 'id')),
    })
  })
}

/** Bytes and numbers that a seed determines: a key stream of AES, since a hash for each few takes seconds. */
function randomOf(seed: string) {
  const stream = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), Buffer.alloc(16))
  const bytes = (length: number) => stream.update(Buffer.alloc(length))
  return { bytes, upTo: (limit: number) => bytes(4).readUInt32BE(0) % limit }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

interface Ended {
  code: number | null | undefined
  stdout: Buffer
  stderr: Buffer
}

function start(command: string, by = client): Promise<{ channel: ssh2.ClientChannel; ended: Promise<Ended> }> {
  return new Promise((resolve, reject) =>
    by.exec(command, (error, channel) => {
      if (error) return reject(error)
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      channel.on('data', (bytes: Buffer) => stdout.push(bytes))
      channel.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
      const ended = new Promise<Ended>((done) =>
        channel.once('close', (code: number | null) =>
          done({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }),
        ),
      )
      resolve({ channel, ended })
    }),
  )
}

async function send(channel: ssh2.ClientChannel, bytes: Buffer, random: ReturnType<typeof randomOf>): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const size = [1, 2 + random.upTo(50), 1 + random.upTo(5000), 1 + random.upTo(100_000)][random.upTo(4)] ?? 1
    if (!channel.write(bytes.subarray(at, at + size))) await new Promise((resolve) => channel.once('drain', resolve))
    at += size
  }
  channel.end()
}

test('a hundred channels at once on one connection, in pieces of every size, each with its own exit code', async () => {
  const cases = Array.from({ length: 100 }, async (_, n) => {
    const random = randomOf(`channel ${n}`)
    const data = random.bytes(random.upTo(200_000))
    const code = random.upTo(200)
    const { channel, ended } = await start(`cat; exit ${code}`)
    const [end] = await Promise.all([ended, send(channel, data, random)])
    return [n, end.code, sha256(end.stdout)].join() === [n, code, sha256(data)].join()
      ? 'whole'
      : `channel ${n}: ${end.stdout.length} of ${data.length}, ${end.code}`
  })
  expect(new Set(await Promise.all(cases))).toEqual(new Set(['whole']))
})

test('a command arrives as it is: bytes of any kind, up to the length that OpenSSH takes', async () => {
  const { folder, direct } = fixture
  const { options } = fixture.clientOptions()
  const ssh = (line: string) => fixture.run('bash', ['-c', line, 'bash', ...options, direct])
  const quote = "'".charCodeAt(0)
  const bytes = Buffer.from(Array.from({ length: 255 }, (_, n) => n + 1).filter((byte) => byte !== quote))
  writeFileSync(
    join(folder, 'command'),
    Buffer.concat([Buffer.from("printf %s '"), bytes, Buffer.from("' | sha256sum")]),
  )
  const ran = await ssh(`exec ssh "$@" "$(cat ${folder}/command)"`)
  expect([ran.code, ran.stderr, ran.stdout.toString()]).toEqual([0, '', `${sha256(bytes)}  -\n`])

  // In the row it is text.
  const inputs = async () => (await fixture.server.kernel.db.select().from(terminalCommand)).map(({ input }) => input)
  await expect.poll(inputs).toContainEqual(expect.stringMatching(/^printf %s '.*ABC/s))

  const long = (length: number) => `"$(head -c ${length} /dev/zero | tr '\\0' x)"`
  const whole = await ssh(`exec ssh "$@" : ${long(125_000)}';' echo done`)
  expect([whole.code, whole.stderr, whole.stdout.toString()]).toEqual([0, '', 'done\n'])
  const refused = await ssh(`exec ssh "$@" ${long(125_000)} ${long(125_000)} ${long(125_000)}`)
  expect(refused.code).toBe(255)
  expect(refused.stderr).toContain('A packet, such as a command, has at most 256 kB')
})

test('keys are exchanged again in the middle of large data, in both directions, and nothing is lost', async () => {
  const data = randomOf('rekeyed').bytes(12_000_000)
  const ran = await fixture.ssh(fixture.direct, 'cat; exit 8', { input: data, options: ['-o', 'RekeyLimit=1M'] })
  expect([ran.code, sha256(ran.stdout)]).toEqual([8, sha256(data)])
})

test('both streams are whole when much comes on each', async () => {
  const { ended } = await start(
    'head -c 9000000 /dev/zero | tr "\\0" o; head -c 9000000 /dev/zero | tr "\\0" e >&2; exit 12',
  )
  const { code, stdout, stderr } = await ended
  expect([code, stdout.equals(Buffer.alloc(9_000_000, 'o')), stderr.equals(Buffer.alloc(9_000_000, 'e'))]).toEqual([
    12,
    true,
    true,
  ])
})

test('a program that closes its output early goes on reading, and its exit code comes', async () => {
  const data = randomOf('half').bytes(3_000_000)
  const { channel, ended } = await start('exec 3>&2; echo first; exec >&-; sha256sum >&3; exit 21')
  await send(channel, data, randomOf('half pieces'))
  const { code, stdout, stderr } = await ended
  expect([code, stdout.toString(), stderr.toString().split(' ')[0]]).toEqual([21, 'first\n', sha256(data)])
})

test('a program that ends while more is being sent to it: what it said and its exit code are whole', async () => {
  for (let n = 0; n < 10; n++) {
    const { channel, ended } = await start(`head -c ${n * 1000}; exit ${n + 1}`)
    const data = randomOf(`early ${n}`).bytes(2_000_000)
    void send(channel, data, randomOf(`early pieces ${n}`)).catch(() => {})
    const { code, stdout } = await ended
    expect([code, sha256(stdout)]).toEqual([n + 1, sha256(data.subarray(0, n * 1000))])
  }
})

test('a client that goes away in the middle leaves nothing behind: the program is hung up, the session ends', async ({
  skip,
}) => {
  // sshd passes signals on to programs of ordinary accounts alone (OpenSSH, session.c).
  const account = makeSystemAccount() ?? skip('needs root: only root can make an account with a password')
  const sshd = await startSshd({ signIn: 'password' })
  try {
    const { username, password } = account
    const { target, systemUser } = await fixture.target({ port: sshd.port }, { username, password })
    const leaver = await connected(`${fixture.direct.split('@')[0]}@${systemUser}@${target}`)
    const { channel, ended } = await start('echo $$; exec sleep 300', leaver)
    channel.on('error', () => {})
    // A client that leaves before it runs starts nothing.
    const [pid] = await once(channel, 'data')
    leaver.end()
    await ended
    const live = `/api/v1/terminal/sessions/?limit=1&is_finished=false&asset_id=${target}`
    await expect.poll(async () => (await fixture.server.admin.get(live)).body.count).toBe(0)
    await expect.poll(() => existsSync(`/proc/${String(pid).trim()}`)).toBe(false)
  } finally {
    await sshd.close()
    account.remove()
  }
})

test('a person without rules of their own gets all input through a raw terminal, whatever rules others have', async () => {
  const { created, server } = fixture
  const bob = await server.aPerson('bob')
  const group = await created('/api/v1/users/groups/', { name: 'interns', users: [bob.id] })
  for (const [name, bound] of Object.entries({ bob: { users: [bob.id] }, interns: { user_groups: [group] } })) {
    const filter = await created('/api/v1/assets/cmd-filters/', { name, ...bound })
    await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'forbidden' })
  }
  const data = randomOf('raw').bytes(1_048_576)
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.shell({ term: 'xterm' }, (error, one) => (error ? reject(error) : resolve(one))),
  )
  let shown = ''
  channel.on('data', (bytes: Buffer) => {
    shown += bytes.toString('latin1')
  })
  channel.write("PS1='here$ '; bind 'set enable-bracketed-paste off'; echo set-$((1 + 1))\n")
  await expect.poll(() => shown).toMatch(/set-2[\s\S]*here\$ $/)
  // A line that is fetched from the history, and keys that run the line in an editor.
  channel.write('export EDITOR=true\n\x1b[A\n\x1b[A\x18\x05echo edited-$((1 + 1))\n')
  await expect.poll(() => shown).toContain('edited-2')
  channel.write(`stty raw -echo; echo ready-$((1 + 1)); head -c ${data.length} | sha256sum; stty sane\n`)
  await expect.poll(() => shown).toContain('ready-2')
  for (let at = 0; at < data.length; at += 50_000)
    if (!channel.write(data.subarray(at, at + 50_000))) await once(channel, 'drain')
  await expect.poll(() => shown).toContain(sha256(data))
  expect(shown).not.toContain('so it was not run')
  channel.end('exit\n')
})

test('a client that reads slowly holds its own program back, not the others', async () => {
  const slow = await start('head -c 30000000 /dev/zero; exit 5')
  slow.channel.pause()
  const quick = await start('echo quick; exit 6')
  expect([(await quick.ended).code, (await quick.ended).stdout.toString()]).toEqual([6, 'quick\n'])
  slow.channel.resume()
  const { code, stdout } = await slow.ended
  expect([code, stdout.length]).toEqual([5, 30_000_000])
})
