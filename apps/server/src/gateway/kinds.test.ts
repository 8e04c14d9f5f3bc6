import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { finishSession } from '../domains/terminal/index.ts'
import { replayPath } from '../domains/terminal/recording/index.ts'
import { terminalCommand, terminalSession } from '../domains/terminal/tables.ts'
import { addConnector, type Connector } from './connectors/index.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { confirmation } from './guard/confirmation-fixture.ts'
import { type Decision, type Guard, UNGUARDED } from './guard/guard.ts'
import { echoTarget } from './kinds/statements/echo-fixture.ts'
import { openTerminalFixture, type TerminalFixture } from './listeners/web/terminal-fixture.ts'
import { notice, wordsOf } from './session/notice.ts'

/** The protocol of another kind replaces one that assets can have. */
const echo: Connector<'statements'> = {
  protocol: 'vnc',
  kind: 'statements',
  open: async (_kernel, { host, port }) => echoTarget(host, port),
}

let fixture: TerminalFixture
let gateway: Gateway
let server: Server
let clock: number
let guard: Guard
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
  guard = UNGUARDED
  gateway = await openGateway(fixture.server.kernel, { now: () => clock, elapsed: () => clock, guardOf: () => guard })
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
        refuse: (_statement, why) => void shown.push(`REFUSED ${wordsOf(why, 'en')}\n`),
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
  expect(row).toMatchObject({ is_finished: true, is_success: true, has_replay: true, protocol: 'vnc' })
  const stored = await kernel.db.select().from(terminalCommand).where(eq(terminalCommand.session, live.id))
  expect(stored).toMatchObject([{ input: 'select 1', output: '1 rows' }])
  const path = (await replayPath(kernel, { id: live.id, date_start: row?.date_start ?? new Date() })).replace(
    'cast',
    'statements',
  )
  expect(gunzipSync(readFileSync(path)).toString()).toContain('"statement",1,"select 1"')
  expect(existsSync(path.replace('.gz', ''))).toBe(false)
})

test('a log of statements is downloaded as text by those who may see the session, and noted; the replay says of which kind it is', async () => {
  const { admin, aPerson, anOrg } = fixture.server
  guard = rules().guard
  const { live, ask, shown } = await openEcho()
  const forged = '2026-01-01 00:00:00  #9 select everything'
  ask(`select 1\n${forged}\x1b[2J`)
  ask('drop table a')
  await expect.poll(shown).toMatch(/OK 1\n[\s\S]*REFUSED|REFUSED[\s\S]*OK 1\n/)
  await live.end('left')
  const session = `/api/v1/terminal/sessions/${live.id}/`
  expect((await admin.get(session)).body).toMatchObject({ has_replay: true, can_replay: false })
  expect((await admin.get(`${session}replay/`)).body).toMatchObject({
    type: 'statements',
    src: expect.stringMatching(/\.statements\.gz$/),
  })

  const taken = await admin.get(`${session}replay/download/`)
  expect(taken.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename*=UTF-8''${live.id}.txt`,
  })
  const lines = taken.body.split('\n')
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d'
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${time}  #1 select 1$`)))
  // Input of a person makes no entry of its own, and gives no order to a terminal.
  expect(lines).toContain(`    ${forged}␛[2J`)
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${time}  #1 → 1 row$`)))
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${time}  Refused: drop table a$`)))
  expect(lines).toContain('    no such thing here')

  expect((await admin.get(`${session}replay/download/?format=tar`)).headers['content-type']).toBe(
    'application/octet-stream',
  )
  for (const format of ['cast', 'html'])
    expect(await admin.get(`${session}replay/download/?format=${format}`)).toMatchObject({
      status: 400,
      body: { code: 'replay_format' },
    })
  for (const path of ['part/0/', 'screen/0/', 'search/?q=select'])
    expect((await admin.get(`${session}replay/${path}`)).status).toBeOneOf([400, 409])
  const { body: found } = await admin.get('/api/v1/terminal/sessions/replay-search/?q=select')
  expect([found.results, found.unread]).toEqual([[], 0])

  const notes = (await admin.get('/api/v1/audits/operate-logs/?action=download')).body
  expect(notes.filter(({ object_id }: { object_id: string }) => object_id === live.id)).toHaveLength(2)
  const member = await aPerson('statement-reader')
  expect((await member.get(`${session}replay/download/`)).status).toBe(403)
  const stranger = admin.in(await anOrg('Elsewhere'))
  expect((await stranger.get(`${session}replay/download/`)).status).toBe(404)
})

test('a session that is ended elsewhere ends here, whatever its kind', async () => {
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

/** Denies `drop`, has a reviewer asked about `grant`, and notes what it has judged of whom. */
function rules() {
  const judged: string[] = []
  const { promise: decision, resolve: decide } = Promise.withResolvers<Decision>()
  const made: Guard = {
    applies: true,
    judge({ text }) {
      judged.push(text)
      if (text.startsWith('drop')) return { action: 'deny', why: notice('denied', 'no such thing here') }
      if (text.startsWith('grant')) return confirmation(notice('held', 'somebody is asked'), decision)
      return { action: 'allow' }
    },
  }
  return { guard: made, judged, decide }
}

test('a guard of the gateway judges whole statements: denied in the protocol’s way, held until confirmed, then in order', async () => {
  const { decide, judged, guard: made } = rules()
  guard = made
  const { live, ask, shown } = await openEcho()
  const long = `select ${'x'.repeat(100_000)} from whole`
  ask('drop table a\n  where b')
  ask(long)
  ask('grant all')
  ask('select 2')
  await expect.poll(shown).toContain('NOTICE held')
  expect(shown()).toMatch(/^REFUSED no such thing here\n/)
  expect(judged).toEqual(['drop table a\n  where b', long, 'grant all'])
  await expect.poll(shown).toContain('from whole\nOK 1\n')
  expect(shown()).not.toContain('select 2')
  decide({ action: 'allow' })
  await expect.poll(shown).toMatch(/grant all\nOK 1\nselect 2\nOK 1\n$/)
  await live.end('left')
})

test('a guard of the gateway judges whole lines of a terminal: denied and cleared, held until confirmed, then in order', async () => {
  const { decide, judged, guard: made } = rules()
  guard = made
  const shown: string[] = []
  const live = await gateway.open(
    {
      kind: 'terminal',
      person: { ...fixture.person, name: 'Walker', language: 'en', remoteAddress: '127.0.0.1', loginFrom: 'WT' },
      target: { family: 'asset', id: fixture.asset },
      systemUserId: fixture.systemUser,
      program: { terminal: { type: 'xterm', size: { cols: 80, rows: 24 } } },
      dialogue: { ask: () => Promise.resolve(undefined) },
      owner: {
        write: (bytes) => {
          shown.push(bytes.toString())
          return true
        },
        close: () => {},
      },
    },
    new AbortController().signal,
  )
  const text = () => shown.join('')
  await expect.poll(text).toMatch(/[#$] /)
  live.input(Buffer.from('drop everyth'))
  live.input(Buffer.from('ing; echo ran-$((1))\r'))
  await expect.poll(text).toContain('no such thing here')
  live.input(Buffer.from('grant() { echo granted-$((40 + 2)); }; grant\recho behind-$((1 + 1))\r'))
  // The line that defines it is judged as it begins.
  await expect.poll(text).toMatch(/somebody is asked.*Go on\?/)
  expect(text()).not.toContain('granted-42')
  live.input(Buffer.from('y\r'))
  await expect.poll(text).toContain('Waiting for the confirmation')
  decide({ action: 'allow' })
  await expect.poll(text).toMatch(/granted-42[\s\S]*behind-2/)
  expect(text()).not.toContain('ran-1')
  expect(judged[0]).toContain('drop everything; echo ran-$((1))')
  await live.end('left')
})
