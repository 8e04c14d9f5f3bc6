import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { finishSession, replayPath } from '../domains/terminal/index.ts'
import { terminalCommand, terminalSession } from '../domains/terminal/tables.ts'
import { addConnector, type Connector } from './connectors/index.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { echoTarget } from './kinds/statements/echo-fixture.ts'
import { openTerminalFixture, type TerminalFixture } from './listeners/web/terminal-fixture.ts'

/** A protocol of another kind stands in for one that assets can have. */
const echo: Connector<'statements'> = {
  protocol: 'vnc',
  kind: 'statements',
  open: async (_kernel, { host, port }) => echoTarget(host, port),
}

let fixture: TerminalFixture
let gateway: Gateway
let server: Server
let clock: number
beforeAll(async () => {
  addConnector(echo)
  fixture = await openTerminalFixture()
  server = createServer((socket) => {
    createInterface({ input: socket }).on('line', (line) => void socket.write(`${line}\nOK 1\n`))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  await fixture.close()
  server.close()
})
beforeEach(async () => {
  clock = Date.now()
  gateway = await openGateway(fixture.server.kernel, { now: () => clock })
})
afterEach(() => gateway.close())

async function where() {
  const { port } = server.address() as { port: number }
  const { target, systemUser } = await fixture.target(
    { port, protocols: [`vnc/${port}`] },
    { username: 'reader', password: 'x', protocol: 'vnc', login_mode: 'auto' },
  )
  return { target: { family: 'asset' as const, id: target }, systemUserId: systemUser }
}

async function openEcho() {
  const shown: string[] = []
  const live = await gateway.open(
    {
      kind: 'statements',
      person: { ...fixture.person, name: 'Walker', language: 'en', remoteAddress: '127.0.0.1', loginFrom: 'ST' },
      ...(await where()),
      dialogue: { ask: () => Promise.resolve(undefined) },
      owner: {
        write: (bytes) => {
          shown.push(bytes.toString())
          return true
        },
        refuse: () => {},
        tell: ({ code }) => void shown.push(`NOTICE ${code}`),
        close: () => {},
      },
    },
    new AbortController().signal,
  )
  const ask = (text: string) => live.submit({ text, bytes: Buffer.from(`${text}\n`) })
  return { live, ask, shown: () => shown.join('') }
}

test('a session of another kind has the same life: row, limits, end; its statements are stored and its recording is packed', async () => {
  const { kernel } = fixture.server
  const { live, ask, shown } = await openEcho()
  ask('select 1')
  await expect.poll(shown).toBe('select 1\nOK 1\n')
  expect(gateway.find(live.id)).toBe(live)
  clock += 31 * 60_000
  await gateway.check()
  await live.ended
  expect(shown()).toContain('NOTICE idle')
  const [row] = await kernel.db.select().from(terminalSession).where(eq(terminalSession.id, live.id))
  expect(row).toMatchObject({ is_finished: true, is_success: true, has_replay: false, protocol: 'vnc' })
  const stored = await kernel.db.select().from(terminalCommand).where(eq(terminalCommand.session, live.id))
  expect(stored).toMatchObject([{ input: 'select 1', output: '1 rows' }])
  const path = (await replayPath(kernel, { id: live.id, date_start: row?.date_start ?? new Date() })).replace(
    'cast',
    'statements',
  )
  expect(gunzipSync(readFileSync(path)).toString()).toContain('"statement",1,"select 1"')
  expect(existsSync(path.replace('.gz', ''))).toBe(false)
})

test('what is ended elsewhere ends here, whatever its kind', async () => {
  const { live, shown } = await openEcho()
  await finishSession(fixture.server.kernel.db, live.id)
  await gateway.beat()
  await live.ended
  expect(shown()).toBe('NOTICE terminated')
})

test('a protocol that leads to another kind of session, or that nobody speaks, is refused', async () => {
  const terminal = {
    kind: 'terminal' as const,
    person: {
      ...fixture.person,
      name: 'Walker',
      language: 'en' as const,
      remoteAddress: '127.0.0.1',
      loginFrom: 'WT' as const,
    },
    program: {},
    dialogue: { ask: () => Promise.resolve(undefined) },
    owner: { write: () => true, close: () => {} },
  }
  const { signal } = new AbortController()
  const refusal = 'This kind of connection is not supported'
  await expect(gateway.open({ ...terminal, ...(await where()) }, signal)).rejects.toThrow(refusal)
})
