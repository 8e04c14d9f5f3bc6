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

test('what the server leaves out behind a failure waits for nothing', () => {
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
  expect(run()).toMatchObject({ text: 'delete;\nselect 1', isJudged: false })
  server(FAILED, READY)
  expect(run()?.text).toBe('delete')
  // What it replaces in its own batch is not what is run there.
  client(message(CLIENT.close, `S${name}`), prepare(name, 'select 2'), bind(name), execute())
  expect(statements.at(-1)).toMatchObject({ text: 'select 2', partOf: { text: 'select 2' } })
})

test('what is prepared by the name of one that is being closed is known by it', () => {
  const { client, server, statements } = talk()
  client(prepare('a', 'select 1'), SYNC)
  server(PARSED, READY)
  client(message(CLIENT.close, 'Sa'), prepare('a', 'select 2'), SYNC)
  server(message(SERVER.closeComplete), PARSED, READY)
  client(bind('a'), execute(), SYNC)
  expect(statements.at(-1)?.text).toBe('select 2')
})

test('one name does not stand for any number of texts', () => {
  const { client, statements } = talk()
  client(...Array.from({ length: 50 }, (_, at) => prepare('a', `select ${at}`)), SYNC, bind('a'), execute())
  const texts = Array.from({ length: 15 }, (_, at) => `select ${at + 35}`)
  expect(statements.at(-1)).toMatchObject({ text: ['statement a', ...texts].join(';\n'), isCut: true })
})
