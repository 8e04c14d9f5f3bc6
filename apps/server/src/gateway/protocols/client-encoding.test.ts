/** The text of a client is judged in every encoding in which its server may read it. */
import { expect, test } from 'vitest'
import { readingsOf } from '../kinds/statements/readings-of.ts'
import type { ClientPieces, ClientWire, Statement } from '../kinds/statements/streams.ts'
import { MysqlWire } from './mysql/mysql-wire.ts'
import { COMMAND, packet } from './mysql/packets.ts'
import { CLIENT, message, SERVER } from './postgresql/messages.ts'
import { PostgresqlWire } from './postgresql/postgresql-wire.ts'

interface Reading extends ClientWire {
  readInto(pieces: ClientPieces): { read(bytes: Buffer): void }
}

/** Judged texts of each message. */
function judged(wire: Reading, sent: readonly Buffer[]): (readonly string[] | undefined)[] {
  const statements: Statement[] = []
  const statement = (one: Statement) => void statements.push(one)
  const side = wire.readInto({ statement, rest() {}, pass() {}, leave() {} })
  for (const bytes of sent) side.read(bytes)
  return statements.map(({ text, others }) => readingsOf(wire, text, others))
}

const mysqlWire = (collation: number) =>
  new MysqlWire({
    ...{ capabilities: 0, maxPacket: 1 << 24, collation, username: '', proof: Buffer.alloc(0) },
    ...{ database: '', plugin: '', attributes: Buffer.alloc(0) },
  })
const query = (text: string) => packet(0, Buffer.of(COMMAND.query), Buffer.from(text, 'latin1'))
const [UTF8MB4, SJIS] = [45, 13]
/** The second byte of a letter of GBK is the quote of names. */
const HIDDEN = 'select 1 as \x81`; drop table t -- `'

test.for([
  'set/**/names gbk',
  "set names /* 'utf8mb4' */ gbk",
  'set @a = 1, names gbk',
  "set character_set_client = concat('g', 'bk')",
  "select 'set names utf8mb4'",
  'call change()',
])('behind %j of MySQL another character set may be read', (change) => {
  expect(judged(mysqlWire(UTF8MB4), [query(change), query(HIDDEN)])[1]).toContain('drop table t')
})

test('where nothing has changed it, what a client of MySQL writes is read in its own', () => {
  const [read] = judged(mysqlWire(UTF8MB4), [query(Buffer.from('select `你` from 订单').toString('latin1'))])
  expect(read).toEqual([])
  // Though not all that a server takes for a letter is one on the web.
  const [behind] = judged(mysqlWire(SJIS), [query('select 1 as \x85`; drop table t -- `')])
  expect(behind).toContain('drop table t')
})

test.for([
  'set character_set_results = NULL',
  'create table t (a varchar(9), b char(3)) charset = utf8mb4',
  'select 1',
])('behind %j of MySQL nothing else may be read than before', (statement) => {
  const letters = query(Buffer.from('select `你` from 订单').toString('latin1'))
  const wire = mysqlWire(UTF8MB4)
  judged(wire, [query(statement)])
  wire.exchange.over({})
  expect(judged(wire, [letters])[0]).toEqual([])
})

test('a character set that a statement names is read once the server has changed to it, and surely', () => {
  const wire = mysqlWire(UTF8MB4)
  judged(wire, [query('set names gbk')])
  wire.exchange.over({})
  const [read] = judged(wire, [query('select \x81` from t')])
  expect(read).toEqual([])
  // It is refused, so that what was there before goes on, or half of it ran.
  judged(wire, [query('set names utf8mb4')])
  wire.exchange.over({ error: 'no' })
  expect(judged(wire, [query(HIDDEN)])[0]).toContain('drop table t')
})

test('a client of PostgreSQL that does not wait for its change of the encoding is read in either', () => {
  const behind = message(CLIENT.query, Buffer.from("select E'\x81\\'; drop table t; --'\0", 'latin1'))
  const wire = new PostgresqlWire(new Map())
  wire.server.read(message(SERVER.readyForQuery, Buffer.from('I')))
  const change = message(CLIENT.query, 'set client_encoding to sjis')
  expect(judged(wire, [change, behind])[1]).toContain('drop table t')
  // The running statement is over, and the server reports it.
  wire.server.read(message(SERVER.parameterStatus, 'client_encoding', 'UTF8'))
  for (const _ of [change, behind]) wire.server.read(message(SERVER.readyForQuery, Buffer.from('I')))
  const letters = message(CLIENT.query, "select E'\u4f60\\n'")
  expect(judged(wire, [letters])[0]).toEqual([])
})

test('text typed at a prompt of our own is written in UTF-8, whatever the server has read since', () => {
  const wire = new PostgresqlWire(new Map())
  const typed = "select E'\u0081\\'; drop table t; --'"
  expect(wire.othersOf(typed)).toBeUndefined()
  wire.server.read(message(SERVER.parameterStatus, 'client_encoding', 'SJIS'))
  expect(readingsOf(wire, typed, wire.othersOf(typed))).toContain('drop table t')
})
