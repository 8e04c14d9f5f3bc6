/** Each fault of ssh2 that is mended here, seen by stock programs where they meet it. */
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ALGORITHMS, ciphersFor } from '../algorithms.ts'
import { IDENT } from './end-of-reading.ts'
import { keepHalfOpen, refuseChannel } from './forwarded-channels.ts'
import { inSmallWindow } from './forwarded-windows.ts'
import { Client, Server, utils } from './index.ts'
import { patched } from './patch.ts'

/** What ssh2 keeps to itself, for peers that do what no stock program does. */
interface Internals {
  _protocol: {
    session(channel: number, window: number, packetSize: number): void
    channelOpenConfirm(channel: number, own: number, window: number, packetSize: number): void
    env(channel: number, key: string, value: string, wantReply: boolean): void
    signal(channel: number, name: string): void
  }
}
interface ChannelInternals {
  outgoing: { id: number; window: number }
  _callbacks: ((isRefused: boolean) => void)[]
}

interface Names {
  array: string[]
}
interface Offer {
  lists: { kex: Names; serverHostKey: Names; cs: { cipher: Names; mac: Names; compress: Names } }
  constructor: new (lists: unknown) => Offer
}

/** A terminal's size comes with its modes as they were sent. */
interface Asked {
  command?: Buffer
  variables: Record<string, Buffer>
  terminal?: { term: string; modes: Buffer }
}

let folder: string
let server: ssh2.Server
let port: number
/** The request of the newest channel, and the errors of all connections. */
let asked: Asked
let errors: string[]
/** The program on the channel. */
let program: (channel: ssh2.ServerChannel, session: ssh2.Session) => void
let onConnection: (connection: ssh2.Connection) => void

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-ssh2-'))
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-N', '', '-f', join(folder, 'rsa')])
  const hostKeys = [utils.generateKeyPairSync('ed25519').private]
  const config = { ident: IDENT, algorithms: ALGORITHMS, ciphersFor, hostKeys }
  server = new Server(config as ssh2.ServerConfig, (connection) => {
    onConnection(connection)
    connection.on('error', (error) => errors.push(error.message))
    connection.on('authentication', (context) => context.accept())
    connection.on('session', (accept) => {
      const session = accept()
      asked = { variables: {} }
      session.on('pty', (yes, _no, info) => {
        asked.terminal = info as unknown as { term: string; modes: Buffer }
        yes?.()
      })
      session.on('env', (yes, _no, { key, val }: { key: string; val: Buffer }) => {
        asked.variables[key] = val
        yes?.()
      })
      session.on('exec', (yes, _no, { command }) => {
        asked.command = command as unknown as Buffer
        program(yes(), session)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  errors = []
  onConnection = () => {}
  program = (channel) => {
    channel.exit(0)
    channel.end()
  }
})

const clients: ssh2.Client[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})

async function aClient(algorithms: ssh2.Algorithms = {}): Promise<ssh2.Client & Internals> {
  const client = new Client() as unknown as ssh2.Client & Internals
  clients.push(client)
  client.on('error', (error) => errors.push(error.message))
  client.connect({ host: '127.0.0.1', port, username: 'anybody', algorithms })
  await once(client, 'ready')
  return client
}

const closeOf = (client: ssh2.Client) => new Promise<void>((resolve) => client.once('close', () => resolve()))

function exec(client: ssh2.Client, command: string): Promise<ssh2.ClientChannel & ChannelInternals> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) =>
      error ? reject(error) : resolve(channel as unknown as ssh2.ClientChannel & ChannelInternals),
    ),
  )
}

interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a line of shell in which `$SSH` is OpenSSH's client with its destination. */
function shell(line: string, environment: Record<string, string> = {}): Promise<Ran> {
  const options = '-F /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentityAgent=none'
  const SSH = `ssh ${options} -i ${folder}/rsa -p ${port} anybody@127.0.0.1`
  return new Promise((resolve) =>
    execFile('bash', ['-c', line], { env: { ...process.env, SSH, ...environment } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

test('a release of ssh2 to which a patch does not fit is refused', () => {
  const patch = [{ file: 'a.js', was: 'one', is: 'two' }]
  expect(patched('a.js', 'the one', [patch])).toBe('the two')
  expect(patched('b.js', 'the one', [patch])).toBe('the one')
  expect(() => patched('a.js', 'none', [[{ ...patch[0], file: 'a.js', was: 'two', is: '' }]])).toThrow(
    'ssh2 has changed',
  )
  expect(() => patched('a.js', 'one one', [patch])).toThrow('ssh2 has changed')
})

test('guessed-key-exchange: a client’s first packet that rests on a right guess is taken', async () => {
  const ran = await shell(`dbclient -y -y -T -p ${port} -l anybody 127.0.0.1 true </dev/null`, {
    DROPBEAR_PASSWORD: 'any',
    HOME: folder,
  })
  expect(ran.code, ran.stderr).toBe(0)
})

test('chosen-ciphers: the fastest that a client has, whatever its order; any other when it asks for nothing else', async () => {
  const used = async (option: string) =>
    /server->client cipher: (\S+)/.exec((await shell(`$SSH -v ${option} true`)).stderr)?.[1]
  expect(await used('')).toBe('aes128-gcm@openssh.com')
  expect(await used('-c chacha20-poly1305@openssh.com,aes192-ctr')).toBe('aes192-ctr')
  for (const cipher of ['aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr', 'chacha20-poly1305@openssh.com'])
    expect(await used(`-c ${cipher}`)).toBe(cipher)
})

test('chosen-ciphers: a client that waits for the server’s offer gets it', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write('SSH-2.0-Waiting\r\n')
  let output = ''
  socket.on('data', (bytes) => (output += bytes.toString('latin1')))
  await expect.poll(() => output).toContain('curve25519-sha256')
  socket.destroy()
})

test('chosen-ciphers: ChaCha20 is refused to who does no strict key exchange', async () => {
  const client = new Client()
  client.on('error', (error) => errors.push(error.message))
  const closed = closeOf(client)
  client.connect({
    host: '127.0.0.1',
    port,
    username: 'anybody',
    algorithms: { cipher: ['chacha20-poly1305@openssh.com'] },
  })
  const { _protocol } = client as unknown as { _protocol: { _offer: Offer } }
  const { lists, constructor: Offer } = _protocol._offer
  const names = (of: Names) => of.array.filter((name) => !name.startsWith('kex-strict'))
  const each = {
    cipher: names(lists.cs.cipher),
    mac: names(lists.cs.mac),
    compress: names(lists.cs.compress),
    lang: [],
  }
  _protocol._offer = new Offer({ kex: names(lists.kex), serverHostKey: names(lists.serverHostKey), cs: each, sc: each })
  await closed
  expect(errors.join()).toContain('no matching cipher without strict key exchange')
})

test('signature-algorithms: each that is taken is named, and none with SHA-1', async () => {
  const { stderr } = await shell('$SSH -v true')
  const named = /server-sig-algs=<([^>]*)>/.exec(stderr)?.[1]?.split(',')
  expect(named).toEqual(
    expect.arrayContaining([
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp521',
      'rsa-sha2-512',
      'rsa-sha2-256',
    ]),
  )
  expect(named).not.toContain('ssh-rsa')
})

test('rsa-key-offer: an offered key is accepted under the algorithm of the offer', async () => {
  onConnection = (connection) =>
    connection.prependListener('authentication', (context) => {
      if (context.method === 'none') context.reject(['publickey'])
    })
  const { stderr } = await shell('$SSH -v true')
  expect(stderr).toMatch(/Server accepts key: \S+ RSA/)
  const algorithms: string[] = []
  onConnection = (connection) => {
    const { _protocol } = connection as unknown as { _protocol: { authPKOK(algorithm: string, key: Buffer): void } }
    const tell = _protocol.authPKOK.bind(_protocol)
    _protocol.authPKOK = (algorithm, key) => {
      algorithms.push(algorithm)
      tell(algorithm, key)
    }
    connection.prependListener('authentication', (context) => {
      if (context.method === 'none') context.reject(['publickey'])
    })
  }
  expect((await shell('$SSH true')).code).toBe(0)
  expect(algorithms).toEqual(['rsa-sha2-512'])
})

test('end-after-error: who sends what is no packet is disconnected, hang up or not', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  onConnection = (connection) => void connection.once('close', resolve)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume()
  socket.write(`SSH-2.0-None\r\n${'\xff'.repeat(100)}`, 'latin1')
  await closed
  expect(errors).toEqual(['Bad packet length'])
  socket.destroy()
})

test('packet-length: a command of 250 kB arrives, a longer one is refused in words', async () => {
  const piece = (length: number) => `"$(head -c ${length} /dev/zero | tr '\\0' x)"`
  expect((await shell(`$SSH ${piece(125_000)} ${piece(125_000)}`)).code).toBe(0)
  expect(asked.command?.length).toBe(250_001)
  const refused = await shell(`$SSH ${piece(125_000)} ${piece(125_000)} ${piece(125_000)}`)
  expect(refused.code).toBe(255)
  expect(refused.stderr).toContain('A packet, such as a command, has at most 256 kB')
  // By a cipher with a checksum of its own as well.
  const { stderr } = await shell(`$SSH -c aes256-ctr ${piece(125_000)} ${piece(125_000)} ${piece(125_000)}`)
  expect(stderr).toContain('A packet, such as a command, has at most 256 kB')
})

test('compressed-packets: a packet that grows beyond the limit ends the connection', async () => {
  const client = await aClient({ compress: ['zlib@openssh.com'] })
  await exec(client, 'x'.repeat(200_000))
  expect(asked.command?.length).toBe(200_000)
  const closed = closeOf(client)
  void exec(client, 'x'.repeat(1_000_000)).catch(() => {})
  await closed
  expect(asked.command).toBeUndefined()
  expect(errors.join()).toContain('Output length exceeded')
})

test('send-packet-size: a peer that takes packets of no size is refused, on either side', async () => {
  program = (channel) => void channel.end('output')
  const client = await aClient()
  const open = client._protocol.session.bind(client._protocol)
  client._protocol.session = (channel, window) => open(channel, window, 0)
  const closed = closeOf(client)
  void exec(client, 'true').catch(() => {})
  await closed
  expect(errors.join()).toContain('Malformed CHANNEL_OPEN packet')

  onConnection = (connection) => {
    const { _protocol } = connection as unknown as Internals
    const confirm = _protocol.channelOpenConfirm.bind(_protocol)
    _protocol.channelOpenConfirm = (channel, own, window) => confirm(channel, own, window, 0)
  }
  const other = await aClient()
  const refused = closeOf(other)
  void exec(other, 'true').catch(() => {})
  await refused
  expect(errors.join()).toContain('Malformed CHANNEL_OPEN_CONFIRMATION packet')
})

test('receive-window: a peer that sends more than there is room for is disconnected, on either side', async () => {
  program = (channel) => void channel.pause()
  const client = await aClient()
  const channel = await exec(client, 'true')
  channel.outgoing.window = 2 ** 30
  const closed = closeOf(client)
  channel.write(Buffer.alloc(4_000_000))
  await closed
  expect(errors).toEqual(['More data than the window has room for'])

  for (const stream of ['stdout', 'stderr'] as const) {
    errors = []
    program = (own) => {
      Object.assign((own as unknown as ChannelInternals).outgoing, { window: 2 ** 30 })
      const to = stream === 'stdout' ? own : own.stderr
      to.on('error', () => {})
      to.write(Buffer.alloc(4_000_000))
    }
    const other = await aClient()
    const ended = closeOf(other)
    await exec(other, 'true')
    await ended
    expect(errors).toContain('More data than the window has room for')
  }
})

test('both-streams: what waits on either stream is sent once, and whole', async () => {
  program = (channel) => {
    for (let n = 0; n < 50; n++) {
      channel.write(Buffer.alloc(100_000, 'o'))
      channel.stderr.write(Buffer.alloc(100_000, 'e'))
    }
    channel.stderr.end(() => {
      channel.exit(0)
      channel.end()
    })
  }
  const { stdout } = await shell('{ $SSH true | wc -c; } 2> >(wc -c >&2)')
  expect(stdout).toBe('5000000\n')
  const { stdout: both } = await shell('$SSH -q true 2>&1 >/dev/null | wc -c')
  expect(both).toBe('5000000\n')
})

test('command-bytes: commands and variables keep bytes that are no UTF-8', async () => {
  const bytes = Buffer.from('echo \xff\xfe\x80 \xe4\xb8 end', 'latin1')
  writeFileSync(join(folder, 'command'), bytes)
  const { code, stderr } = await shell(`export LC_ODD=$'\\xb0\\xff'; $SSH -o SendEnv=LC_ODD "$(cat ${folder}/command)"`)
  expect(code, stderr).toBe(0)
  expect(asked.command).toEqual(bytes)
  expect(asked.variables.LC_ODD).toEqual(Buffer.from([0xb0, 0xff]))
})

test('terminal-modes: they arrive as they were sent, and so does the type', async () => {
  const type = Buffer.from('vt\xfe', 'latin1')
  writeFileSync(join(folder, 'type'), type)
  const line = `stty erase ^H intr ^X; export TERM=$(cat ${folder}/type); $SSH -tt true`
  await shell(`script -qec ${JSON.stringify(line)} /dev/null`)
  const { term, modes = Buffer.alloc(0) } = asked.terminal ?? {}
  expect(Buffer.from(term ?? '', 'latin1')).toEqual(type)
  const [VINTR, VERASE] = [1, 3]
  expect(modes.indexOf(Buffer.from([VERASE, 0, 0, 0, 8]))).toBeGreaterThanOrEqual(0)
  expect(modes.indexOf(Buffer.from([VINTR, 0, 0, 0, 0x18]))).toBeGreaterThanOrEqual(0)
})

test('request-replies: requests on a running program are answered, and taken after its last input', async () => {
  const signals: string[] = []
  program = (channel, session) => {
    channel.resume()
    session.on('signal', (yes, _no, { name }) => {
      signals.push(name)
      yes?.()
      channel.exit(0)
      channel.end()
    })
  }
  const client = await aClient()
  const channel = await exec(client, 'true')
  const answered = new Promise<boolean>((resolve) => channel._callbacks.push((isRefused) => resolve(!isRefused)))
  client._protocol.env(channel.outgoing.id, 'LANG', 'C', true)
  expect(await answered).toBe(true)
  const exit = once(channel.resume(), 'exit')
  channel.end()
  client._protocol.signal(channel.outgoing.id, 'TERM')
  expect(await exit).toEqual([0])
  expect(signals).toEqual(['TERM'])
})

test('late-signals: a program whose input has ended still gets a signal', async () => {
  const signals: string[] = []
  program = (channel, session) => {
    session.on('signal', (yes, _no, { name }) => {
      signals.push(name)
      yes?.()
      channel.exit(0)
      channel.end()
    })
    channel.resume().once('end', () => channel.write('ended'))
  }
  const channel = await exec(await aClient(), 'true')
  const exit = once(channel, 'exit')
  channel.end()
  await once(channel, 'data')
  channel.resume().signal('HUP')
  expect(await exit).toEqual([0])
  expect(signals).toEqual(['HUP'])
})

test('end-of-reading: a channel whose output nobody reads any more says so, after its last input too', async () => {
  const { promise: unread, resolve } = Promise.withResolvers<void>()
  program = (channel) => {
    channel.on('error', () => {}).resume()
    const timer = setInterval(() => channel.write('y\n'), 1)
    channel.once('eow@openssh.com', () => {
      clearInterval(timer)
      channel.exit(0)
      channel.end()
      resolve()
    })
  }
  // Told to servers alone whose name begins so.
  const ran = await shell('$SSH -q yes </dev/null | head -n 1')
  expect(ran.stdout).toBe('y\n')
  await unread
})

test('left-channels: a channel whose input nobody reads says so when its client goes', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  program = (channel) => channel.on('error', () => {}).once('left', resolve)
  const client = await aClient()
  const channel = await new Promise<ssh2.ClientChannel>((opened) => client.exec('wait', (_, one) => opened(one)))
  channel.write('unread')
  client.destroy()
  await left
})

test('generated-keys: a new key can always be read', () => {
  // One in 256 could not: a thousand would hold four.
  for (let n = 0; n < 1000; n++) {
    const { private: text } = utils.generateKeyPairSync('ed25519')
    expect(utils.parseKey(text)).not.toBeInstanceOf(Error)
  }
})

test('padding-supply: padding of many packets is drawn at once, and none of it is used twice', () => {
  // In a process of its own, since ssh2 takes the function when it is loaded.
  const program = `
    import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    const random = require('crypto')
    const { randomFillSync } = random
    let drawn = 0
    random.randomFillSync = (...parameters) => {
      drawn += 1
      return randomFillSync(...parameters)
    }
    await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
    const { CIPHER_INFO, createCipher } = require('ssh2/lib/protocol/crypto.js')
    const outbound = { onWrite() {}, seqno: 0, cipherInfo: CIPHER_INFO['aes128-gcm'], cipherKey: Buffer.alloc(16), cipherIV: Buffer.alloc(12) }
    const cipher = createCipher({ outbound })
    const packets = Array.from({ length: 1000 }, () => cipher.allocPacket(4))
    const padding = packets.map((packet) => packet.toString('hex', 9, 9 + packet[4]))
    console.log(JSON.stringify({ drawn, lengths: [...new Set(packets.map((packet) => packet[4]))], different: new Set(padding).size }))
  `
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  expect(JSON.parse(printed)).toEqual({ drawn: 3, lengths: [11], different: 1000 })
})

/**
 * A cipher and a decipher of the same key, as ssh2 has them on both sides, and what they make and read: those in
 * JavaScript, which are patched, also where ssh2 could build its own in C++.
 */
function aesGcmPair() {
  const { CIPHER_INFO, createCipher, createDecipher } = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js')
  const info = CIPHER_INFO['aes128-gcm']
  const [key, iv] = [randomBytes(16), randomBytes(12)]
  let pieces: Buffer[] = []
  const received: Buffer[] = []
  const cipher = createCipher({
    outbound: {
      onWrite: (piece: Buffer) => pieces.push(piece),
      seqno: 0,
      cipherInfo: info,
      cipherKey: key,
      cipherIV: Buffer.from(iv),
      forceNative: true,
    },
  })
  const decipher = createDecipher({
    inbound: {
      onPayload: (payload: Buffer) => void received.push(Buffer.from(payload)),
      seqno: 0,
      decipherInfo: info,
      decipherKey: key,
      decipherIV: Buffer.from(iv),
      forceNative: true,
    },
  })
  const encrypt = (payload: Buffer): Buffer[] => {
    pieces = []
    const packet = cipher.allocPacket(payload.length)
    packet.set(payload, 5)
    cipher.encrypt(packet)
    return pieces
  }
  return { cipher, decipher, encrypt, received }
}

test('small-packets: a small packet is handed on in one piece, a large one without a copy, and both are read', () => {
  const { cipher, decipher, encrypt, received } = aesGcmPair()
  const sent = [5, 8000, 30_000, 7].map((length) => randomBytes(length))
  const counts = sent.map((payload) => {
    const pieces = encrypt(payload)
    const bytes = Buffer.concat(pieces)
    decipher.decrypt(bytes, 0, bytes.length)
    return pieces.length
  })
  expect(counts).toEqual([1, 1, 3, 1])
  expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true)
  expect([cipher.outSeqno, decipher.inSeqno]).toEqual([4, 4])
})

test('prepared-ciphers: no nonce is used twice and every packet is read, however packets and turns fall', async () => {
  const { decipher, encrypt, received } = aesGcmPair()
  const sent: Buffer[] = []
  const streams = new Set<string>()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  for (let n = 0; n < 200; n++) {
    // The same text, so that the same nonce would give the same bytes.
    const payload = Buffer.alloc(123, 'a')
    sent.push(payload)
    const bytes = Buffer.concat(encrypt(payload))
    streams.add(bytes.toString('hex', 5, 120))
    if (n % 3 === 0) await turn()
    for (let at = 0; at < bytes.length; ) {
      const end = n % 2 ? bytes.length : Math.min(at + randomInt(1, 100), bytes.length)
      decipher.decrypt(bytes.subarray(at, end), 0, end - at)
      at = end
      if (n % 5 === 0) await turn()
    }
  }
  expect(streams.size).toBe(sent.length)
  expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true)
})

test('forwarded-channels: a client shows why nothing is forwarded', async () => {
  onConnection = (connection) =>
    connection.on('tcpip', (_accept, reject) => refuseChannel(reject, 'prohibited', 'by the house rules'))
  const ran = await shell('$SSH -W nowhere:80 </dev/null')
  expect(ran.stderr).toContain('open failed: administratively prohibited: by the house rules')
})

test('forwarded-channels: after its own end a server still gets the rest of what a client sends', async () => {
  const { promise: got, resolve } = Promise.withResolvers<number>()
  onConnection = (connection) =>
    connection.on('tcpip', (accept) => {
      let bytes = 0
      const channel = accept()
      keepHalfOpen(channel)
      channel.on('data', (piece: Buffer) => (bytes += piece.length)).once('end', () => resolve(bytes))
      channel.end('enough')
    })
  const client = await aClient()
  const channel = await new Promise<ssh2.ClientChannel>((opened) =>
    client.forwardOut('127.0.0.1', 0, 'anywhere', 80, (_, one) => opened(one)),
  )
  await once(channel.resume(), 'end')
  channel.end(Buffer.alloc(100_000))
  expect(await got).toBe(100_000)
})

test('forwarded-windows: a reader that does not read holds little, on both sides, and gets everything once it reads', async () => {
  const size = 8 * 1024 * 1024
  const most = 384 * 1024
  const { promise: accepted, resolve } = Promise.withResolvers<ssh2.ServerChannel & ChannelInternals>()
  onConnection = (connection) =>
    connection.on('tcpip', (accept) => resolve(accept() as unknown as ssh2.ServerChannel & ChannelInternals))
  const client = await aClient()
  const near = await new Promise<ssh2.ClientChannel & ChannelInternals>((opened) =>
    client.forwardOut(
      ...(['127.0.0.1', 0, 'anywhere', 80] as const),
      inSmallWindow<ssh2.ClientCallback>((_, one) => opened(one as unknown as ssh2.ClientChannel & ChannelInternals)),
    ),
  )
  const far = await accepted
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.end(Buffer.alloc(size))
    await expect.poll(() => from.outgoing.window).toBe(0)
    await expect.poll(() => to.readableLength).toBeGreaterThan(0)
    expect(to.readableLength).toBeLessThanOrEqual(most)
    let got = 0
    to.on('data', (bytes: Buffer) => (got += bytes.length))
    await once(to, 'end')
    expect(got).toBe(size)
  }
})
