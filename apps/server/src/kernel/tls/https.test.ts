/** HTTPS without a proxy, as curl, openssl, terminals and clients of databases meet it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectInClear, type Socket } from 'node:net'
import { connect, TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { ADMIN_PASSWORD } from '../../../test/server.ts'
import { reportCertificate } from '../../domains/monitor/certificate.ts'
import { openTerminalFixture, type TerminalFixture } from '../../gateway/listeners/web/terminal-fixture.ts'
import { type Authority, openAuthority, type PairFiles } from './authority-fixture.ts'
import { factsOf } from './describe.ts'

const run = promisify(execFile)
const MOST_SILENT = 8
const WAIT = { timeout: 120_000, interval: 100 }

let authority: Authority
let distrust: () => void
/** The files that the server reads. */
let files: PairFiles
let fixture: TerminalFixture
let clear: string
let databasePort: number
beforeAll(async () => {
  authority = openAuthority()
  distrust = authority.trust()
  files = authority.issue('site', ['localhost', '127.0.0.1'])
  databasePort = await freePort()
  fixture = await openTerminalFixture({
    SALLYPORT_TLS_CERTIFICATE: files.certificate,
    SALLYPORT_TLS_KEY: files.key,
    SALLYPORT_HTTPS_PORT: '0',
    SALLYPORT_HTTP_UNAUTHENTICATED_PER_ADDRESS: String(MOST_SILENT),
    SALLYPORT_POSTGRESQL_PORT: String(databasePort),
  })
  const { port } = fixture.server.kernel.app.server.address() as { port: number }
  clear = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await fixture?.close()
  distrust?.()
  authority?.close()
})

const inUse = () => fixture.server.kernel.certificates.inUse()

/** Head and body, of curl that knows the authority. */
const curl = async (...parts: string[]) =>
  (await run('curl', ['-sSi', '--max-time', '30', '--cacert', authority.file, ...parts])).stdout

/** SHA-256 of what openssl is shown at a port. */
async function shownAt(port: number | string, ...more: string[]): Promise<string> {
  const asked = run('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...more])
  asked.child.stdin?.end()
  const { stdout } = await asked
  const [certificate = ''] = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(stdout) ?? []
  return factsOf({ certificate }).fingerprint
}

test('a browser signs in by HTTPS alone: cookies are secure, and the log has its own address', async () => {
  const { server } = fixture
  expect(server.url).toMatch(/^https:/)
  const page = await curl(`${server.url}/core/auth/login/`)
  expect(page).toMatch(/^set-cookie: csrftoken=\S+; Path=\/; Secure;/im)
  expect(page).toMatch(/^strict-transport-security: max-age=31536000\r$/im)

  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
  // An address in a header counts for nothing where no proxy is named.
  const sent = ['-H', 'content-type: application/json', '-H', 'x-forwarded-for: 198.51.100.9', '-d', body]
  expect(await curl(...sent, `${server.url}/api/v1/authentication/tokens/`)).toMatch(/^HTTP\/1.1 201 /)
  const { rows } = await server.kernel.pool.query('SELECT ip FROM audits_login_log ORDER BY datetime DESC LIMIT 1')
  expect(rows).toEqual([{ ip: '127.0.0.1' }])
})

test('HTTP leads to HTTPS with path and query, at either port; health is answered as it is', async () => {
  const { server } = fixture
  const { port } = new URL(server.url)
  for (const at of [clear, server.url.replace('https', 'http')]) {
    expect(await curl(`${at}/ui/?next=%2Fa&x=1`)).toMatch(
      new RegExp(`^HTTP/1.1 307 [\\s\\S]*\\nlocation: https://127.0.0.1:${port}/ui/\\?next=%2Fa&x=1\\r\\n`),
    )
    expect(await curl(`${at}/api/health/`)).toMatch(/^HTTP\/1.1 200 /)
  }
  const posted = await curl('-H', 'host: door.example.com:8080', '-d', 'a=b', `${clear}/api/v1/authentication/tokens/`)
  expect(posted).toContain(`location: https://door.example.com:${port}/api/v1/authentication/tokens/\r\n`)
  // What leads on has nothing to protect.
  expect(posted).not.toMatch(/strict-transport|set-cookie/i)
  // The port of HTTP takes HTTPS as well.
  expect(await curl(`${clear.replace('http', 'https')}/api/health/`)).toMatch(/^HTTP\/1.1 200 /)
})

test('TLS below 1.2 and ciphers without forward secrecy are refused', async () => {
  const { port } = new URL(fixture.server.url)
  for (const old of [
    ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'],
    ['-tls1_2', '-cipher', 'AES128-GCM-SHA256:AES256-SHA'],
  ])
    await expect(shownAt(port, ...old)).rejects.toThrow(/alert/)
  expect(await shownAt(port, '-tls1_2')).toBe(inUse()?.fingerprint)
})

test('connections that say nothing are limited, before and after their handshake', async () => {
  const { port } = new URL(fixture.server.url)
  const inTls = { rejectUnauthorized: false }
  for (const open of [() => connectInClear(Number(port)), () => connect(Number(port), inTls)]) {
    const sockets: Socket[] = []
    for (let n = 0; n <= MOST_SILENT; n++) {
      const socket = open()
      sockets.push(socket.on('error', () => {}))
      await once(socket, socket instanceof TLSSocket ? 'secureConnect' : 'connect')
    }
    // The oldest makes room for the newest.
    const [oldest] = sockets
    if (!oldest?.closed) await once(oldest as Socket, 'close')
    expect(sockets.at(-1)?.destroyed).toBe(false)
    for (const socket of sockets) socket.destroy()
  }
})

test('administrators get one message that a certificate ends', async () => {
  const { kernel, admin } = fixture.server
  await kernel.pool.query("UPDATE users_user SET language = 'en'")
  const hoursBefore = (hours: number) => new Date(Number(inUse()?.notAfter) - hours * 3_600_000)
  // Valid for two days: its last quarter is half a day.
  for (const hours of [13, 11, 10]) await reportCertificate(kernel, hoursBefore(hours))
  const { body } = await admin.get('/api/v1/notifications/site-message/?has_read=false')
  expect(body.filter(({ subject }: { subject: string }) => subject === 'Certificate of the site')).toMatchObject([
    { message: expect.stringMatching(/localhost, 127.0.0.1 ends on .*SALLYPORT_TLS_CERTIFICATE/s) },
  ])
})

test('a new certificate counts at every port without a restart, and no session ends; a wrong one changes nothing', async () => {
  const { server, person } = fixture
  const { port } = new URL(server.url)
  const terminal = await fixture.open(person)
  await terminal.see('# ')
  terminal.type('echo be""fore\r')
  await terminal.see('before')
  const first = inUse()?.fingerprint
  const postgres = ['-starttls', 'postgres']
  expect([await shownAt(port), await shownAt(databasePort, ...postgres)]).toEqual([first, first])

  const next = authority.issue('next', ['localhost', '127.0.0.1'])
  copyFileSync(next.key, files.key)
  copyFileSync(next.certificate, files.certificate)
  await vi.waitFor(() => expect(inUse()?.fingerprint).not.toBe(first), WAIT)
  const second = inUse()?.fingerprint
  expect([await shownAt(port), await shownAt(databasePort, ...postgres)]).toEqual([second, second])
  expect(inUse()).toMatchObject({ source: 'files', names: ['localhost', '127.0.0.1'], trusted: true, lastError: '' })

  writeFileSync(files.certificate, 'no certificate')
  await vi.waitFor(
    () => expect(inUse()?.lastError).toMatch(/^SALLYPORT_TLS_CERTIFICATE .*holds no certificate in PEM/),
    WAIT,
  )
  rmSync(files.certificate)
  await vi.waitFor(() => expect(inUse()?.lastError).toMatch(/^SALLYPORT_TLS_CERTIFICATE .*cannot be read/), WAIT)
  expect([await shownAt(port), inUse()?.fingerprint]).toEqual([second, second])

  terminal.type('echo af""ter\r')
  await terminal.see('after')
  terminal.close()
  await terminal.closed
})
