/**
 * A real SMTP server on a free port of this machine (Debian's python3-aiosmtpd), and the mails that
 * it took.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ReceivedMail {
  sender: string
  to: string[]
  subject: string
  headers: string[]
  text: string
  html: string
  /** Contents in base64. */
  attachments: { filename: string; content: string }[]
  encrypted: boolean
  signed_in: boolean
}

export interface MailServer {
  port: number
  /** All mails taken so far; one may arrive a moment after its sender was answered. */
  mails: ReceivedMail[]
  /** Its own certificate, for those who are to trust it. */
  certificate: string
  close(): Promise<void>
}

export interface MailServerOptions {
  tls?: 'none' | 'starttls' | 'ssl'
  user?: string
  password?: string
  /** How many mails it first answers with 451. */
  busy?: number
}

const SCRIPT = fileURLToPath(new URL('./smtp-server-fixture.py', import.meta.url))

export async function startMailServer({ tls = 'none', ...options }: MailServerOptions = {}): Promise<MailServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-smtp-'))
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ].concat(['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate]),
    { stdio: 'ignore' },
  )
  // Debian's packages are visible to the system's own Python alone.
  const server = spawn('/usr/bin/python3', [SCRIPT, JSON.stringify({ tls, certificate, key, ...options })], {
    // It writes a stack trace for every client that hangs up.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const mails: ReceivedMail[] = []
  const port = await new Promise<number>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the mail server ended with ${code}`)))
    createInterface({ input: server.stdout }).on('line', (line) => {
      const { event, ...news } = JSON.parse(line) as { event: string; port: number } & ReceivedMail
      if (event === 'ready') resolve(news.port)
      else mails.push(news)
    })
  })
  return {
    port,
    mails,
    certificate: readFileSync(certificate, 'utf8'),
    close: () =>
      new Promise((resolve) => {
        server.removeAllListeners('exit')
        server.once('exit', () => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        })
        server.kill('SIGTERM')
      }),
  }
}
