/** Which answer of a PostgreSQL server belongs to what its client has sent. */
import { expect, test } from 'vitest'
import type { Outcome, Statement } from '../../kinds/statements/streams.ts'
import { CLIENT, message, report, SERVER } from './messages.ts'
import { PostgresqlWire } from './postgresql-wire.ts'

/** A client and its server, of which the test says what each sends. */
function talk() {
  const wire = new PostgresqlWire(new Map())
  const statements: Statement[] = []
  const passed: Buffer[] = []
  const outcomes: [text: string, outcome: Outcome][] = []
  wire.server.onOutcome((statement, outcome) => void outcomes.push([statement.text, outcome]))
  const side = wire.readInto({
    statement: (statement) => void statements.push(statement),
    rest() {},
    pass: (bytes) => void passed.push(bytes),
    leave() {},
  })
  const client = (...sent: readonly Buffer[]) => side.read(Buffer.concat(sent))
  const server = (...sent: readonly Buffer[]) => wire.server.read(Buffer.concat(sent))
  server(READY)
  return { client, server, statements, passed, outcomes }
}

const READY = message(SERVER.readyForQuery, Buffer.from('I'))
const PARSED = message(SERVER.parseComplete)
const BOUND = message(SERVER.bindComplete)
const FAILED = report('ERROR', { code: '26000', message: 'it failed' })
const SYNC = message(CLIENT.sync)
const prepare = (name: string, text: string) => message(CLIENT.parse, name, text, Buffer.alloc(2))
const bind = (name: string, portal = '') => message(CLIENT.bind, portal, name, Buffer.alloc(6))
const execute = (portal = '') => message(CLIENT.execute, portal, Buffer.alloc(4))
const describe = (name: string) => message(CLIENT.describe, `S${name}`)

test('a statement that the server leaves out behind a failure waits for nothing', () => {
  const { client, server, statements, outcomes } = talk()
  client(bind('nothing'), ...Array.from({ length: 19_999 }, () => describe('')))
  server(FAILED)
  // As many as can wait were asked for: there is room again, and what the server does not hear takes none.
  for (let at = 0; at < 3; at++) client(...Array.from({ length: 9000 }, () => describe('')), prepare('', 'select 1'))
  client(SYNC, prepare('', 'select 2'), bind(''), execute(), SYNC)
  server(READY, PARSED, BOUND, message(SERVER.commandComplete, 'SELECT 1'), READY)
  expect(statements.map(({ text }) => text)).toEqual(['select 2', 'select 2'])
  expect(outcomes[0]).toEqual(['select 2', { rows: 1 }])
})

test.for(['', 'named'])('a statement %j that was to be replaced, and was not, is run as what it is', (name) => {
  const { client, server, statements } = talk()
  const run = () => {
    client(bind(name), execute(), SYNC)
    return statements.at(-1)
  }
  client(prepare(name, 'delete'), SYNC)
  server(PARSED, READY)
  client(bind('nothing'), prepare(name, 'select 1'), SYNC)
  // Until the server has said so it may be either.
  expect(run()).toMatchObject({ text: 'delete;\nselect 1', step: undefined })
  server(FAILED, READY)
  expect(run()?.text).toBe('delete')
  // The statement that it replaces in its own batch is not the one that runs there.
  client(message(CLIENT.close, `S${name}`), prepare(name, 'select 2'), bind(name), execute())
  expect(statements.at(-1)).toMatchObject({ text: 'select 2', step: { is: 'part', of: { text: 'select 2' } } })
})

test('a statement prepared by the name of one that is being closed is known by it', () => {
  const { client, server, statements } = talk()
  client(prepare('a', 'select 1'), SYNC)
  server(PARSED, READY)
  client(message(CLIENT.close, 'Sa'), prepare('a', 'select 2'), SYNC)
  server(message(SERVER.closeComplete), PARSED, READY)
  client(bind('a'), execute(), SYNC)
  expect(statements.at(-1)?.text).toBe('select 2')
})

test('one name does not have any number of texts', () => {
  const { client, statements } = talk()
  client(...Array.from({ length: 50 }, (_, at) => prepare('a', `select ${at}`)), SYNC, bind('a'), execute())
  const texts = Array.from({ length: 15 }, (_, at) => `select ${at + 35}`)
  expect(statements.at(-1)).toMatchObject({ text: ['statement a', ...texts].join(';\n'), isCut: true })
})

test('most of thousands of statements prepared before a Sync are over by then, and those that run have a row of their own', () => {
  const { client, server, statements, passed, outcomes } = talk()
  client(...Array.from({ length: 2500 }, (_, at) => prepare(`${at}`, `select ${at}`)))
  // A server that is not asked may keep its answers until the Sync.
  expect(passed.filter((bytes) => bytes.equals(message(CLIENT.flush)))).toHaveLength(9)
  client(bind('1'), execute())
  server(...Array.from({ length: 2500 }, () => PARSED))
  expect(outcomes).toHaveLength(1999)
  client(bind('0'), execute(), bind('2400'), execute())
  expect(statements.slice(-3).map(({ step }) => (step?.is === 'part' ? step.of.text : undefined))).toEqual([
    'select 1',
    undefined,
    'select 2400',
  ])
  const done = message(SERVER.commandComplete, 'SELECT 1')
  client(SYNC)
  server(BOUND, done, BOUND, done, BOUND, done, READY)
  expect(new Set(outcomes.map(([text]) => text)).size).toBe(2500)
  expect(outcomes.filter(([, { rows }]) => rows).map(([text]) => text)).toEqual(['select 1', 'select 0', 'select 2400'])
})

test('a query ends what is prepared without a Sync', () => {
  const { client, server } = talk()
  const long = `select 1 /*${'x'.repeat(1_000_000)}*/`
  for (let at = 0; at < 20; at++) {
    client(prepare('', long), message(CLIENT.query, 'select 1'))
    server(PARSED, message(SERVER.commandComplete, 'SELECT 1'), READY)
  }
  expect(() => {
    for (let at = 0; at < 20; at++) client(prepare('', long))
  }).toThrow('without a Sync')
})

test.for([
  ['a Bind', (name: string) => bind(name, 'other')],
  ['a Describe', describe],
  ['a Describe of a portal', () => message(CLIENT.describe, 'Pother')],
] as const)('%s that fails tells nothing else of it', ([, failing]) => {
  const { client, server, outcomes } = talk()
  client(prepare('a', 'select 1'), failing('b'), bind('a'), execute(), SYNC)
  server(PARSED, FAILED, READY)
  expect(outcomes.map(([, { error }]) => error)).toEqual([undefined])
  client(prepare('c', 'select 2'), failing('b'), SYNC)
  server(PARSED, FAILED, READY)
  expect(outcomes.at(-1)).toEqual(['select 2', {}])
})

test('a Bind that fails tells what was to be run in its portal', () => {
  const { client, server, outcomes } = talk()
  const failure = { error: 'it failed', code: '26000' }
  client(prepare('a', 'select 1'), SYNC)
  server(PARSED, READY)
  client(bind('a', 'p'), execute('other'), execute('p'), SYNC)
  server(FAILED, READY)
  expect(outcomes.slice(1)).toEqual([
    ['select 1', failure],
    ['portal other', {}],
  ])
  client(prepare('b', 'select 2'), prepare('c', 'select 3'), bind('b'), SYNC)
  server(PARSED, PARSED, FAILED, READY)
  expect(outcomes.slice(3)).toEqual([
    ['select 2', failure],
    ['select 3', {}],
  ])
})
