/** Certificates by ACME, from Pebble, for nodes of an installation and through an outage. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { freePort } from '../../../../test/free-port.ts'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { type Authority, openAuthority } from '../authority-fixture.ts'
import { directoryAt, type Pebble, startPebble } from '../pebble-fixture.ts'

const run = promisify(execFile)
const WAIT = { timeout: 120_000, interval: 50 }
const RENEWAL = 'kernel.renew_certificate'

let authority: Authority
let distrust: () => void
beforeAll(() => {
  authority = openAuthority()
  distrust = authority.trust()
})
afterAll(() => {
  distrust?.()
  authority?.close()
})

/** Servers and authorities of a test: how to close them. */
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function aPebble(ports: Parameters<typeof startPebble>[1]): Promise<Pebble> {
  const pebble = await startPebble(authority, ports)
  open.push(pebble.close)
  return pebble
}

async function aNode(settings: Record<string, string>, database?: TestDatabase): Promise<TestServer> {
  const server = await openTestServer({ SALLYPORT_ACME_DOMAINS: 'localhost', ...settings }, database)
  open.push(() => server.close())
  return server
}

/** SHA-256 of the certificate that a client is shown. */
async function shownAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const client = connect({ host: hostname, port: Number(port), servername: 'localhost', rejectUnauthorized: false })
    client.once('secureConnect', () => resolve(client)).once('error', reject)
  })
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** As the schedule does every hour. */
const anHourLater = async ({ kernel }: TestServer) => {
  await kernel.pool.query("UPDATE kernel_acme SET date_tried = date_tried - interval '1 hour'")
  await kernel.jobs.send(RENEWAL, {}, { owner: 'clock' })
}

test('one node asks, the authority may look at another one, both serve what it made, and renew it', async () => {
  const [port, http, tls] = [await freePort(), await freePort(), await freePort()]
  const pebble = await aPebble({ port, http, tls })
  open.push(authority.trust(pebble.root))
  const database = await createTestDatabase()
  const settings = { SALLYPORT_ACME_DIRECTORY: directoryAt(port) }
  // Names lead to the first, which does no work in the background; only the second asks.
  const first = await aNode(
    { ...settings, SALLYPORT_ROLES: 'api', SALLYPORT_HTTP_PORT: String(http), SALLYPORT_HTTPS_PORT: String(tls) },
    database,
  )
  const ofFirst = () => first.kernel.certificates.inUse()
  expect([ofFirst()?.source, ofFirst()?.trusted]).toEqual(['own', false])
  const second = await aNode(settings, { ...database, drop: async () => {} })
  const ofSecond = () => second.kernel.certificates.inUse()
  const bothServe = async (source: string) => {
    await vi.waitFor(() => {
      expect([ofFirst()?.source, ofSecond()?.source, ofFirst()?.fingerprint]).toEqual([
        source,
        source,
        ofSecond()?.fingerprint,
      ])
    }, WAIT)
    return String(ofFirst()?.fingerprint)
  }
  const made = await bothServe('acme')
  expect(await Promise.all([first, second].map(({ url }) => shownAt(url)))).toEqual([made, made])
  expect(ofFirst()).toMatchObject({ names: ['localhost'], trusted: true, lastError: '' })

  // Browsers stay with HTTPS from now on.
  const root = join(authority.folder, 'root.pem')
  writeFileSync(root, pebble.root)
  const { stdout } = await run('curl', ['-sSI', '--cacert', root, `https://localhost:${tls}/api/health/`])
  expect(stdout).toMatch(/^HTTP\/1\.1 200 [\s\S]*\nstrict-transport-security: max-age=31536000/i)

  // No key of it is in the database in clear, nor what the authority was shown.
  const { rows } = await first.kernel.pool.query(
    `SELECT a.proof, a.domains, position('PRIVATE KEY' in a::text) + position(encode('PRIVATE KEY', 'hex') in a::text) AS clear,
       (SELECT count(*)::int FROM kernel_acme_challenge) AS challenges FROM kernel_acme a`,
  )
  expect(rows).toEqual([{ proof: 'http-01', domains: ['localhost'], clear: 0, challenges: 0 }])

  // Its end has come: the next one is asked for, once, and served by both.
  const { certificate } = authority.issue('ended', ['localhost'], -1)
  await first.kernel.pool.query('UPDATE kernel_acme SET certificate = $1', [readFileSync(certificate, 'utf8')])
  await anHourLater(second)
  await vi.waitFor(() => expect(ofSecond()?.fingerprint).not.toBe(made), WAIT)
  const renewed = await bothServe('acme')
  expect(await Promise.all([first, second].map(({ url }) => shownAt(url)))).toEqual([renewed, renewed])
})

test('an authority that is away, or refuses, stops no start and is named; then TLS alone proves the name', async () => {
  const [port, tls, closed] = [await freePort(), await freePort(), await freePort()]
  const server = await aNode({
    SALLYPORT_ACME_MAIL: 'door@example.com',
    SALLYPORT_ACME_DIRECTORY: directoryAt(port),
    SALLYPORT_HTTPS_PORT: String(tls),
  })
  const inUse = () => server.kernel.certificates.inUse()
  const own = inUse()?.fingerprint
  await vi.waitFor(() => expect(inUse()?.lastError).toContain('ECONNREFUSED'), WAIT)
  expect(inUse()?.lastError).toMatch(
    new RegExp(`^No certificate for SALLYPORT_ACME_DOMAINS \\(localhost\\) by ${directoryAt(port)}: `),
  )
  expect([inUse()?.source, await shownAt(server.url)]).toEqual(['own', own])

  const refusing = await aPebble({ port, http: closed, tls: closed })
  await anHourLater(server)
  await vi.waitFor(() => expect(inUse()?.lastError).toMatch(/: http-01: .+; tls-alpn-01: /), WAIT)
  await refusing.close()

  await aPebble({ port, http: closed, tls })
  await anHourLater(server)
  await vi.waitFor(() => expect(inUse()).toMatchObject({ source: 'acme', names: ['localhost'], lastError: '' }), WAIT)
  expect(await shownAt(server.url)).toBe(inUse()?.fingerprint)
  // A stranger cannot ask as an authority does.
  const stranger = connect({
    port: tls,
    servername: 'localhost',
    ALPNProtocols: ['acme-tls/1'],
    rejectUnauthorized: false,
  })
  await expect(once(stranger, 'secureConnect')).rejects.toThrow()
})
