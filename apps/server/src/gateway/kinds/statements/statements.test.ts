import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { confirmation } from '../../guard/confirmation-fixture.ts'
import { type Decision, type Guard, UNGUARDED } from '../../guard/guard.ts'
import type { CommandLog } from '../../session/command-log.ts'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { notice, wordsOf } from '../../session/notice.ts'
import { echoTarget } from './echo-fixture.ts'
import { StatementLog } from './statement-log.ts'
import { StatementSession, type StatementSessionParts } from './statement-session.ts'
import type { StatementOwner, StatementTarget } from './streams.ts'

/**
 * The smallest protocol of statements, over real sockets: a line is a statement, `text` is answered
 * by `text` and `OK 1`, `fail …` by `ERROR …`. `slow …` is answered when the line `answer` comes
 * from the test.
 */
let folder: string
let server: Server
let serverSide: Socket | undefined
const received: string[] = []
const slow: (() => void)[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-statements-'))
  received.length = 0
  server = createServer((socket) => {
    serverSide = socket
    createInterface({ input: socket }).on('line', (line) => {
      received.push(line)
      const answer = () => void socket.write(line.startsWith('fail') ? `ERROR ${line}\n` : `${line}\nOK 1\n`)
      if (line.startsWith('slow')) slow.push(answer)
      else answer()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterEach(async () => {
  serverSide?.destroy()
  await new Promise((closed) => server.close(closed))
  await rm(folder, { recursive: true })
})

async function sessionOf(parts: Partial<StatementSessionParts> = {}) {
  const shown: string[] = []
  const ends: string[] = []
  const commands = collectedCommands()
  const owner: StatementOwner = {
    write: (bytes) => {
      shown.push(bytes.toString())
      return true
    },
    refuse: (_statement, why) => void shown.push(`REFUSED ${wordsOf(why, 'en')}\n`),
    tell: (what) => void shown.push(`NOTICE ${wordsOf(what, 'en')}\n`),
    decided() {
      shown.push('DECIDED\n')
      return undefined
    },
    close: () => void shown.push('CLOSED'),
  }
  const recording = await StatementLog.open(join(folder, 'x.statements'), { title: 'echo', startedAt: new Date() })
  const live = new StatementSession({
    id: 'x',
    orgId: '',
    person: { id: 'p', name: 'P', username: 'p', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    owner,
    target: echoTarget('127.0.0.1', (server.address() as { port: number }).port),
    recording,
    log: pino({ level: 'silent' }) as unknown as StatementSessionParts['log'],
    commands,
    guard: UNGUARDED,
    goesOnUnrecorded: () => false,
    async onEnd(reason) {
      ends.push(reason)
      await recording.close()
    },
    ...parts,
  })
  const submit = (text: string) => live.submit({ text, bytes: Buffer.from(`${text}\n`) })
  const recorded = async () =>
    (await readFile(recording.path, 'utf8'))
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => (JSON.parse(line) as unknown[]).slice(1))
  return { live, submit, shown: () => shown.join(''), ends, commands, recorded }
}

const deny: Decision = { action: 'deny', why: notice('denied', 'no') }
const allow: Decision = { action: 'allow' }

test('statements arrive exactly and in their order; each is recorded with what became of it', async () => {
  const { live, submit, shown, commands, recorded } = await sessionOf()
  submit('select 1')
  submit('fail here')
  submit("select '你好'")
  await expect.poll(shown).toBe("select 1\nOK 1\nERROR fail here\nselect '你好'\nOK 1\n")
  expect(received).toEqual(['select 1', 'fail here', "select '你好'"])
  await live.end('left')
  expect(commands.over.map(({ input, output }) => ({ input, output }))).toEqual([
    { input: 'select 1', output: '1 rows' },
    { input: 'fail here', output: 'fail here' },
    { input: "select '你好'", output: '1 rows' },
  ])
  expect(await recorded()).toEqual([
    ['statement', 1, 'select 1', 8],
    ['statement', 2, 'fail here', 9],
    ['statement', 3, "select '你好'", 11],
    ['answer', 1, { rows: 1 }],
    ['answer', 2, { error: 'fail here' }],
    ['answer', 3, { rows: 1 }],
  ])
})

test('statements in one piece are logged at once, before any of them goes out; those that can not be are not sent', async () => {
  const happened: string[] = []
  const commands: CommandLog = { ...collectedCommands(), write: () => void happened.push('written') }
  const target = echoTarget('127.0.0.1', (server.address() as { port: number }).port)
  const corked: StatementTarget = {
    ...target,
    cork: () => void happened.push('held'),
    uncork: () => void happened.push('out'),
    send: ({ text }) => void happened.push(text),
  }
  const { live, submit, ends } = await sessionOf({ commands, target: corked })
  live.together(() => {
    submit('select 1')
    submit('select 2')
  })
  submit('select 3')
  expect(happened).toEqual(['held', 'select 1', 'select 2', 'written', 'out', 'written', 'select 3'])
  commands.write = () => commands.onFailure(new Error('the disk is full'))
  happened.length = 0
  live.together(() => submit('select 4'))
  submit('select 5')
  expect(happened).toEqual(['held', 'select 4'])
  await live.ended
  expect(ends).toEqual(['recording'])
})

test('a statement is held until the guard answers, and those behind it wait; a denied one gets the protocol’s own error', async () => {
  const answers: ((decision: Decision) => void)[] = []
  const guard: Guard = { applies: true, judge: () => new Promise((answer) => answers.push(answer)) }
  const { live, submit, shown, recorded } = await sessionOf({ guard })
  submit('drop table')
  submit('select 2')
  expect(live.pendingInput).toBe(20)
  expect(received).toEqual([])
  answers[0]?.(deny)
  await expect.poll(() => answers.length).toBe(2)
  expect(shown()).toBe('REFUSED no\n')
  answers[1]?.(allow)
  await expect.poll(shown).toBe('REFUSED no\nselect 2\nOK 1\n')
  expect(received).toEqual(['select 2'])
  await live.end('left')
  expect((await recorded())[0]).toEqual(['refused', 'drop table', 'no'])
})

test('a person whose statement waits for a reviewer sees that in the protocol’s own way, and the decision too; what runs can be cancelled meanwhile', async () => {
  const { promise: decision, resolve: decide } = Promise.withResolvers<Decision>()
  const guard: Guard = {
    applies: true,
    judge: ({ text }) => (text === 'drop' ? confirmation(notice('held', 'wait'), decision) : allow),
  }
  const { live, submit, shown } = await sessionOf({ guard })
  submit('slow one')
  submit('drop')
  await expect.poll(shown).toBe('NOTICE wait\n')
  live.cancel()
  await expect.poll(() => received).toEqual(['slow one', 'cancelled'])
  decide(allow)
  await expect.poll(() => received).toEqual(['slow one', 'cancelled', 'drop'])
  expect(shown()).toMatch(/^NOTICE wait\n(.*\n)*DECIDED\n/)
  await live.end('left')
})

test('a statement that waits for others has a row when it is withdrawn, or when its session ends', async () => {
  const guard: Guard = {
    applies: true,
    judge: ({ text }) =>
      text.startsWith('drop') ? confirmation(notice('held', 'wait'), new Promise(() => {})) : allow,
  }
  const { live, submit, shown, commands } = await sessionOf({ guard })
  submit('drop a')
  await expect.poll(shown).toContain('wait')
  live.cancel()
  submit('drop b')
  await expect.poll(shown).toMatch(/wait[\s\S]*wait/)
  await live.end('left')
  expect(commands.over.map(({ input, risk }) => [input, risk])).toEqual([
    ['drop a', 5],
    ['drop b', 5],
  ])
  expect(received).toEqual([])
})

test('a watcher sees statements and their outcomes', async () => {
  const { live, submit } = await sessionOf()
  const lines: string[] = []
  live.watch({ line: (text) => void lines.push(text), backlog: () => 0, close: () => void lines.push('closed') })
  const sleeper: string[] = []
  live.watch({
    line: (text) => void sleeper.push(text),
    backlog: () => sleeper.length * 5_000_000,
    close: () => void sleeper.push('closed'),
  })
  submit('select 1')
  await expect.poll(() => lines).toEqual(['select 1', '1 rows'])
  // A watcher that does not read is dropped, and delays nobody.
  expect(sleeper).toEqual(['select 1', 'closed'])
  await live.end('left')
  expect(sleeper).toHaveLength(2)
  expect(lines.at(-1)).toBe('closed')
  expect(live.watch({ line: () => {}, backlog: () => 0, close: () => {} })).toBeUndefined()
})

test('an end tells why, cancels what runs, drops what is held, and is recorded', async () => {
  const guard: Guard = { applies: true, judge: ({ text }) => (text === 'held' ? new Promise(() => {}) : allow) }
  const { live, submit, shown, ends, commands, recorded } = await sessionOf({ guard })
  submit('slow query')
  submit('held')
  await expect.poll(() => received).toEqual(['slow query'])
  await live.end('terminated', notice('terminated', 'The session was terminated by {{by}}', { by: 'admin' }))
  expect(shown()).toBe('NOTICE The session was terminated by admin\nCLOSED')
  await expect.poll(() => received).toEqual(['slow query', 'cancelled'])
  expect(ends).toEqual(['terminated'])
  expect(commands.over.map(({ input, output }) => ({ input, output }))).toEqual([{ input: 'slow query', output: '' }])
  expect((await recorded()).at(-1)).toEqual(['notice', 'The session was terminated by admin'])
})

test('a locked session refuses every statement, those that were held too, and stays in step', async () => {
  const guard: Guard = { applies: true, judge: ({ text }) => (text === 'held' ? new Promise(() => {}) : allow) }
  const { live, submit, shown } = await sessionOf({ guard })
  submit('held')
  submit('behind')
  live.setLocked(true, 'admin')
  submit('now')
  expect(shown().match(/REFUSED/g)).toHaveLength(3)
  live.setLocked(false, 'admin')
  submit('again')
  await expect.poll(shown).toContain('again\nOK 1\n')
  expect(received).toEqual(['again'])
  await live.end('left')
})

test('statements and answers count as activity; a server that goes away ends the session', async () => {
  let clock = 0
  const { live, submit, ends } = await sessionOf({ elapsed: () => clock })
  clock = 60_000
  submit('slow one')
  expect(live.lastActive).toBe(60_000)
  await expect.poll(() => received).toEqual(['slow one'])
  clock = 90_000
  slow.at(-1)?.()
  await expect.poll(() => live.lastActive).toBe(90_000)
  serverSide?.destroy()
  await live.ended
  expect(ends).toEqual(['closed'])
})

test('a person who reads slowly holds their own server back', async () => {
  let ready = false
  const shown: string[] = []
  const { live, submit } = await sessionOf({
    owner: {
      write(bytes) {
        shown.push(bytes.toString())
        return ready
      },
      refuse: () => {},
      tell: () => {},
      close: () => {},
    },
  })
  submit('select 1')
  await expect.poll(() => shown.length).toBeGreaterThan(0)
  ready = true
  live.ownerDrained()
  submit('select 2')
  await expect.poll(() => shown.join('')).toContain('select 2\nOK 1\n')
  await live.end('left')
})
