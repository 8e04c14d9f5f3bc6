/** The SFTP subsystem behind a small SSH server on loopback, and OpenSSH's clients. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import type { Kernel } from '../../kernel/kernel.ts'
import { Client, Server, utils } from '../../kernel/ssh/ssh2/index.ts'
import { type SftpOptions, serveSftp } from '../listeners/ssh/sftp-subsystem.ts'
import type { Person } from '../session/person.ts'

export interface SftpTestServer {
  port: number
  /** Options for `sftp` and `scp`: the address, and none of this machine's own settings. */
  options: string[]
  /** A raw channel with the subsystem, for what no standard client does. */
  raw(user: string): Promise<{ channel: ssh2.ClientChannel; close(): void }>
  /** Settles when everything that clients did is over and logged. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** `roots`: what somebody finds at `/`, by user name. */
export async function openSftpServer(
  kernel: Kernel,
  person: Person,
  roots: Readonly<Record<string, SftpOptions['root']>>,
): Promise<SftpTestServer> {
  const running = new Set<Promise<void>>()
  const clients = new Set<ssh2.Connection>()
  const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    let root: SftpOptions['root'] = 'granted'
    const gone = new AbortController()
    client.on('authentication', (context) => {
      root = roots[context.username] ?? 'granted'
      context.accept()
    })
    client.on('error', () => {})
    clients.add(client)
    client.once('close', () => gone.abort())
    client.on('session', (accept) => {
      accept().on('subsystem', (yes, no, { name }) => {
        if (name !== 'sftp') return no?.()
        const done = serveSftp(kernel, { channel: yes(), person, root, signal: gone.signal })
        running.add(done)
        void done.then(() => running.delete(done))
      })
    })
  })
  // As the listener does: Nagle would cost 40 ms a request.
  const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sftp-'))
  const idle = async () => {
    while (running.size) await Promise.all(running)
  }
  return {
    port,
    idle,
    options: [
      '-F',
      '/dev/null',
      '-q',
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      `UserKnownHostsFile=${folder}/known`,
      '-o',
      'IdentityAgent=none',
    ],
    raw: (user) => rawChannel(port, user),
    async close() {
      for (const client of clients) client.end()
      await idle()
      await new Promise<void>((resolve) => listener.close(() => resolve()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function rawChannel(port: number, username: string): Promise<{ channel: ssh2.ClientChannel; close(): void }> {
  const client = new Client()
  return new Promise((resolve, reject) => {
    client.on('error', reject)
    client.once('ready', () =>
      client.subsys('sftp', (error, channel) =>
        error ? reject(error) : resolve({ channel, close: () => client.end() }),
      ),
    )
    client.connect({ host: '127.0.0.1', port, username })
  })
}

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a program to its end. */
export function run(program: string, words: readonly string[], input?: string | Buffer): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(program, words, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 255) : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

/** Runs commands of `sftp` in turn, sent in this encoding; the first that fails ends it. */
export function sftp(
  sftpServer: SftpTestServer,
  user: string,
  commands: readonly string[],
  options: readonly string[] = [],
  encoding: BufferEncoding = 'utf8',
): Promise<Ran> {
  return run(
    'sftp',
    [...sftpServer.options, ...options, '-P', String(sftpServer.port), '-b', '-', `${user}@127.0.0.1`],
    Buffer.from(`${commands.join('\n')}\n`, encoding),
  )
}

/** As `sftp`, without waiting for its end. */
export function startSftp(
  sftpServer: SftpTestServer,
  user: string,
  commands: readonly string[],
  options: readonly string[] = [],
) {
  const child = spawn(
    'sftp',
    [...sftpServer.options, ...options, '-P', String(sftpServer.port), '-b', '-', `${user}@127.0.0.1`],
    {
      stdio: 'pipe',
    },
  )
  child.stdin.write(`${commands.join('\n')}\n`)
  child.stdout.resume()
  let stderr = ''
  child.stderr.on('data', (bytes) => {
    stderr += bytes
  })
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once('exit', (code) => resolve({ code, stderr })),
  )
  return { child, ended }
}
