/** A real VNC server (TigerVNC's) with a screen of its own, and an X client on it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { challengeAnswer } from './des-answer.ts'

export interface VncServer {
  port: number
  /** As X clients name it. */
  display: string
  /** Runs an X client on the screen. */
  run(program: string, ...parameters: string[]): ChildProcess
  close(): Promise<void>
}

/** The key under which VNC servers keep passwords: it is the same everywhere. */
const FILE_KEY = String.fromCharCode(23, 82, 107, 6, 35, 78, 88, 7)

/** `security`: what it offers, as TigerVNC names it. `port`: 0 for any. */
export async function startVnc(security: string, password = '', port = 0, size = '320x240'): Promise<VncServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-vnc-'))
  const socket = join(folder, 'rfb')
  const [secret, key, certificate] = ['passwd', 'key.pem', 'cert.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const block = Buffer.alloc(8)
  Buffer.from(password, 'latin1').copy(block)
  writeFileSync(secret, challengeAnswer(block, FILE_KEY), { mode: 0o600 })
  if (security.includes('X509'))
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=screen',
      ].concat(['-keyout', key, '-out', certificate]),
      { stdio: 'ignore' },
    )
  const child = spawn(
    'Xtigervnc',
    ['-displayfd', '3', '-rfbunixpath', socket, '-rfbport', '-1', '-SecurityTypes', security, '-PasswordFile', secret]
      .concat(['-geometry', size, '-depth', '24', '-nolisten', 'tcp', '-AlwaysShared', '-BlacklistThreshold', '1000'])
      .concat(security.includes('X509') ? ['-X509Key', key, '-X509Cert', certificate] : []),
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  )
  // It says which screen it has once it takes clients.
  const [number] = (await once(child.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer]
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const line = connect(socket)
    open.add(client)
    client.pipe(line).pipe(client)
    client.on('error', () => line.destroy()).on('close', () => line.destroy())
    line.on('error', () => client.destroy()).on('close', () => client.destroy())
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const clients = new Set<ChildProcess>()
  const display = `:${number.toString().trim()}`
  return {
    display,
    port: (server.address() as { port: number }).port,
    run(program, ...parameters) {
      const client = spawn(program, parameters, {
        env: { PATH: process.env.PATH, DISPLAY: display },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      clients.add(client)
      return client
    },
    async close() {
      for (const client of clients) client.kill('SIGKILL')
      for (const client of open) client.destroy()
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await new Promise((closed) => server.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
