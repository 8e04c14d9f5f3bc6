import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type ssh2 from 'ssh2'
import type { Kernel } from '../../kernel/kernel.ts'
import { ALGORITHMS } from '../../kernel/ssh/algorithms.ts'
import { connectSsh, type SshConnection } from '../../kernel/ssh/connect.ts'
import { gatherWrites } from '../../kernel/ssh/gather-writes.ts'
import { Server, utils } from '../../kernel/ssh/ssh2/index.ts'
import type { TerminalSize } from '../kinds/terminal/streams.ts'

const HOST = '127.0.0.1'
const CONNECT_MS = 10_000
export const PROMPT = '$ '
/** Size of the answer to a command. */
export const COMMAND_BYTES = 1500
/** So much more is printed by a line that begins so, with a number of megabytes. */
export const PRINT = 'print '
/** A channel that was opened by this command answers each line with one. */
const STATEMENTS = 'statements'
const LINE = '2026-11-21 07:08:09 INFO GET /api/v1/assets/ 200 12ms user=walker id=7a41\r\n'
const OUTPUT = LINE.repeat(Math.ceil(COMMAND_BYTES / LINE.length)).slice(0, COMMAND_BYTES - 2)
const PIECE = Buffer.from(LINE.repeat(400))

/**
 * A machine for a measurement: an SSH server in this process, as nobody may be asked to lend one. It
 * listens on the loopback alone, for as long as a measurement takes. Its key and its one login are
 * random and exist in this memory alone. It runs nothing: it echoes keys, and answers lines with
 * text. Its own cost is measured as well: a listener encrypts and decrypts the bytes of the person's
 * end in the same way.
 */
export interface LoopbackMachine {
  /** Through the connector's own way to a machine, with its key checked. */
  connect(): Promise<SshConnection>
  shell(connection: SshConnection, size: TerminalSize): Promise<ssh2.ClientChannel>
  /** Answers `OK` to each line. */
  statements(connection: SshConnection): Promise<ssh2.ClientChannel>
  close(): Promise<void>
}

/** Throws what the system throws where no port can be opened. */
export async function openLoopbackMachine(kernel: Pick<Kernel, 'targetAddresses'>): Promise<LoopbackMachine> {
  const [username, password] = [randomBytes(16).toString('hex'), randomBytes(32).toString('hex')]
  const keys = utils.generateKeyPairSync('ed25519')
  const publicKey = Buffer.from(keys.public.split(' ')[1] ?? '', 'base64')
  const server = new Server(
    { hostKeys: [keys.private], algorithms: ALGORITHMS },
    (client) => void serve(client, { username, password }),
  )
  const sockets = new Set<Socket>()
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    gatherWrites(socket)
    server.injectSocket(socket)
  })
  listener.listen(0, HOST)
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  // No session of a person leads here.
  kernel.targetAddresses.keep(port)
  const hostKey = {
    expected: async () => ({ types: ['ssh-ed25519'], certified: false }),
    decide: async (key: Buffer) => ({ accepted: key.equals(publicKey), fingerprint: '', trusted: [], isMoved: false }),
  }
  return {
    connect: () =>
      connectSsh([{ host: HOST, port, username, password, privateKey: '', hostKey }], { timeoutMs: CONNECT_MS }),
    shell: ({ client }, { cols, rows }) =>
      new Promise((resolve, reject) =>
        client.shell({ term: 'xterm-256color', cols, rows, width: 0, height: 0 }, (error, channel) =>
          error ? reject(error) : resolve(channel),
        ),
      ),
    statements: ({ client }) =>
      new Promise((resolve, reject) =>
        client.exec(STATEMENTS, (error, channel) => (error ? reject(error) : resolve(channel))),
      ),
    async close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      kernel.targetAddresses.letGo(port)
    },
  }
}

function serve(client: ssh2.Connection, { username, password }: { username: string; password: string }): void {
  client.on('error', () => {})
  client.on('authentication', (context) => {
    if (context.method === 'password' && isSame(context.username, username) && isSame(context.password, password))
      context.accept()
    else context.reject(['password'])
  })
  client.on('session', (accept) => {
    const session = accept()
    session.on('pty', (yes) => yes?.())
    session.on('shell', (yes) => serveShell(yes()))
    session.on('exec', (yes, no, { command }) => (String(command) === STATEMENTS ? serveStatements(yes()) : no()))
  })
}

const isSame = (given: string, own: string) =>
  given.length === own.length && timingSafeEqual(Buffer.from(given), Buffer.from(own))

function serveShell(channel: ssh2.ServerChannel): void {
  let line = ''
  channel.on('error', () => {})
  channel.write(PROMPT)
  channel.on('data', (bytes: Buffer) => {
    const typed = bytes.toString('latin1')
    for (const [at, part] of typed.split('\r').entries()) {
      if (at > 0) {
        const megabytes = line.startsWith(PRINT) ? Number(line.slice(PRINT.length)) : 0
        line = ''
        channel.write('\r\n')
        if (megabytes > 0) print(channel, megabytes * 1024 * 1024)
        else channel.write(`${OUTPUT}\r\n${PROMPT}`)
      }
      line += part
      if (part) channel.write(part)
    }
  })
}

/** No faster than it is read. */
function print(channel: ssh2.ServerChannel, bytes: number): void {
  let left = bytes
  const more = () => {
    while (left > 0) {
      left -= PIECE.length
      if (!channel.write(PIECE)) return void channel.once('drain', more)
    }
    channel.write(PROMPT)
  }
  more()
}

function serveStatements(channel: ssh2.ServerChannel): void {
  let rest = ''
  channel.on('error', () => {})
  channel.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length) channel.write('OK\n'.repeat(lines.length))
  })
}
