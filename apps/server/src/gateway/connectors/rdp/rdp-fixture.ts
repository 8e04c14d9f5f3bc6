/** Real servers of RDP: xrdp with a real VNC server behind it, and FreeRDP's with NLA. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { TLSSocket, connect as tlsConnect } from 'node:tls'
import { freePort } from '../../../../test/free-port.ts'
import { mcsOf } from '../../protocols/rdp/framing.ts'
import { indication, readChannelMessage } from '../../protocols/rdp/serving/channels.ts'
import { startVnc, type VncServer } from '../vnc/vnc-fixture.ts'

export interface RdpServer {
  port: number
  /** As X clients name its screen. */
  display: string
  /** Runs an X client on the screen. */
  run(program: string, ...parameters: string[]): ChildProcess
  close(): Promise<void>
}

/** xrdp inside TLS; the password that it is given must be that of the screen behind it. */
export async function startXrdp(password: string, bitsPerPixel = 32, size?: string): Promise<RdpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-rdp-'))
  const screen = await startVnc('VncAuth', password, 0, size)
  const [key, certificate] = certificateIn(folder)
  const config = join(folder, 'xrdp.ini')
  return served(screen, folder, (port) => {
    writeFileSync(
      config,
      `[Globals]
ini_version=1
fork=false
port=tcp://127.0.0.1:${port}
security_layer=tls
certificate=${certificate}
key_file=${key}
autorun=screen
allow_channels=true
bitmap_compression=true
max_bpp=${bitsPerPixel}
new_cursors=true
use_fastpath=both

[Logging]
LogFile=${join(folder, 'xrdp.log')}
LogLevel=INFO
EnableSyslog=false

[Channels]
cliprdr=true
drdynvc=true

[screen]
name=screen
lib=libvnc.so
ip=127.0.0.1
port=${screen.port}
username=na
password=ask
`,
    )
    return spawn('xrdp', ['--nodaemon', '--config', config], { stdio: 'ignore' })
  })
}

/** FreeRDP's server, which shows a screen to a client that proves that account. */
export async function startShadow(username: string, password: string): Promise<RdpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-rdp-'))
  const screen = await startVnc('None')
  const accounts = join(folder, 'sam')
  writeFileSync(accounts, execFileSync('winpr-hash', ['-u', username, '-p', password, '-f', 'sam']))
  return served(screen, folder, (port) =>
    spawn(
      'freerdp-shadow-cli',
      [`/port:${port}`, '/bind-address:127.0.0.1', '/sec:nla', '+auth', `/sam-file:${accounts}`],
      { stdio: 'ignore', env: { ...process.env, HOME: folder, DISPLAY: screen.display } },
    ),
  )
}

/** Starts it at a free port; at another one where that was taken meanwhile. */
async function served(screen: VncServer, folder: string, start: (port: number) => ChildProcess): Promise<RdpServer> {
  for (;;) {
    const port = await freePort()
    const child = start(port)
    if (!(await listening(port, child))) continue
    return {
      port,
      display: screen.display,
      run: screen.run,
      async close() {
        child.kill('SIGKILL')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
        await screen.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  }
}

export interface Tap {
  port: number
  sent(): Buffer
  /**
   * Messages of the client on that channel go to `heard` from now on; returns a function that
   * writes there in the server's place.
   */
  takeOver(channel: number, heard: (data: Buffer) => void): (data: Buffer) => void
  close(): Promise<void>
}

/** Is between a client and a server of RDP, and keeps what the client sends inside TLS. */
export async function listenIn(port: number): Promise<Tap> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-rdp-'))
  const [key, cert] = certificateIn(folder).map((path) => readFileSync(path))
  rmSync(folder, { recursive: true, force: true })
  const sent: Buffer[] = []
  const open = new Set<Socket>()
  const taken = new Map<number, (data: Buffer) => void>()
  let toClient: TLSSocket | undefined
  const between = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    for (const one of [client, server]) open.add(one.on('error', () => client.destroy() && server.destroy()))
    // One message each way, and the rest is inside TLS.
    client.once('data', (asked: Buffer) => server.write(asked))
    server.once('data', (answer: Buffer) => {
      client.write(answer)
      const inside = new TLSSocket(client, { isServer: true, key, cert })
      const onward = tlsConnect({ socket: server, rejectUnauthorized: false })
      for (const one of [inside, onward]) one.on('error', () => client.destroy() && server.destroy())
      toClient = inside
      byMessage(inside, (message) => {
        sent.push(message)
        const mcs = message.length > 8 ? mcsOf(message) : undefined
        const data = mcs && mcs[0] === SEND_DATA ? readChannelMessage(mcs) : undefined
        const take = data?.is === 'data' ? taken.get(data.channel) : undefined
        if (take && data?.is === 'data') take(data.data)
        else onward.write(message)
      })
      byMessage(onward, (message) => inside.write(message))
    })
  })
  await new Promise<void>((listening) => between.listen(0, '127.0.0.1', listening))
  return {
    port: (between.address() as { port: number }).port,
    sent: () => Buffer.concat(sent),
    takeOver(channel, heard) {
      taken.set(channel, heard)
      return (data) => void toClient?.write(indication(channel, data))
    },
    close() {
      for (const one of open) one.destroy()
      return new Promise((closed) => between.close(() => closed()))
    },
  }
}

/** As a client sends data of a channel (T.125). */
const SEND_DATA = 0x64

/** Also those of three bytes, which clients alone send. */
function byMessage(socket: TLSSocket, take: (message: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 3) {
      const [first, second = 0, third = 0, fourth = 0] = rest
      const short = second & 0x80 ? ((second & 0x7f) << 8) | third : second
      const length = first === 3 ? (rest.length < 4 ? rest.length + 1 : (third << 8) | fourth) : short
      if (rest.length < length) return
      take(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  })
}

function certificateIn(folder: string): [key: string, certificate: string] {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  execFileSync(
    'openssl',
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=screen -keyout'.split(' ').concat([key, '-out', certificate]),
    { stdio: 'ignore' },
  )
  return [key, certificate]
}

/** Waits until it takes connections; false when it has ended instead. */
async function listening(port: number, child: ChildProcess): Promise<boolean> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await new Promise((done) =>
      socket.once('connect', () => done(true)).once('error', () => done(false)),
    )
    socket.destroy()
    if (child.exitCode !== null) return false
    if (isThere) return true
    await setTimeout(20)
  }
}
