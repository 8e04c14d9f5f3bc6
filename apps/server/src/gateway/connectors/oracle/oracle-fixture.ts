/**
 * An Oracle database of tests: accounts that change their passwords, and a handful of statements.
 */
import type { Answered, OracleOptions } from './conversation-fixture.ts'
import { startTnsServer, type TnsServer } from './tns-server-fixture.ts'
import { type ColumnOf, locator } from './ttc-fixture.ts'

export interface OracleFixture extends TnsServer {
  /** Passwords of accounts, whose names are in capitals. */
  accounts: Map<string, string>
  /** Statements that wait until they are broken. */
  waiting: number
}

/** As the server's own grammar reads it: a name and texts in quotes. */
const ALTER_USER = /^ALTER USER "?([^"\s]+)"? IDENTIFIED BY "([^"]+)" REPLACE "([^"]+)"$/i
const LONG_TEXT = `${'字'.repeat(40_000)}end`
const one = (name: string, value: string, type: ColumnOf['type'] = 'varchar'): Answered => ({
  columns: [{ name, type }],
  rows: [[value]],
})

export async function startOracle(accounts: Readonly<Record<string, string>>): Promise<OracleFixture> {
  const known = new Map(Object.entries(accounts))
  const change: OracleOptions['change'] = (username, changed) => {
    if (changed.length < 8)
      return { number: 28003, words: 'ORA-28003: password verification for the specified password failed' }
    known.set(username, changed)
    return undefined
  }
  const answer: OracleOptions['answer'] = async (statement, seat, broken) => {
    if (/dbms_session\.sleep/i.test(statement)) {
      fixture.waiting++
      await new Promise<void>((resolve) => broken.addEventListener('abort', () => resolve()))
      fixture.waiting--
      return { changed: 0 }
    }
    if (/^commit|^rollback/i.test(statement)) {
      seat.isInTransaction = false
      return { changed: 0 }
    }
    if (/^(?:update|insert|delete)/i.test(statement)) {
      seat.isInTransaction = true
      return { changed: 2 }
    }
    if (/^(?:begin|declare|alter session)/i.test(statement)) return { changed: 0 }
    if (/^create .*procedure/i.test(statement)) return { changed: 0, isInvalid: /broken/i.test(statement) }
    const [, name, changed = '', old] = ALTER_USER.exec(statement) ?? []
    if (name) {
      if (name.toUpperCase() !== seat.username || old !== known.get(seat.username))
        return { number: 28008, words: 'ORA-28008: invalid old password' }
      return change(seat.username, changed) ?? { changed: 0 }
    }
    const count = /connect by level <= (\d+)/i.exec(statement)?.[1]
    if (count)
      return {
        columns: [{ name: 'N', type: 'number' }],
        rows: Array.from({ length: Number(count) }, (_, at) => [String(at + 1)]),
      }
    if (/from values_of_all/i.test(statement)) return VALUES
    if (/from documents/i.test(statement))
      return { columns: [{ name: 'BODY', type: 'clob' }], rows: [[locator(1, LONG_TEXT.length)], [null]] }
    const text = /^select '(.*)' as (\w+) from dual$/i.exec(statement)
    if (text) return one((text[2] as string).toUpperCase(), text[1] as string)
    if (/from all_users/i.test(statement)) return one('USERNAME', 'SCOTT')
    const near = /from ([\w.]+)/i.exec(statement)?.[1] ?? ''
    return { number: 942, words: `ORA-00942: table or view "${near.toUpperCase()}" does not exist` }
  }
  const server = await startTnsServer({
    services: ['shop.example.com', 'shop'],
    password: (username) => known.get(username),
    ...{ change, answer },
    large: (_id, from, count) => LONG_TEXT.slice(from - 1, from - 1 + count),
  })
  const fixture: OracleFixture = Object.assign(server, { accounts: known, waiting: 0 })
  return fixture
}

/** Numbers and dates that would lose something as values of JavaScript. */
const VALUES: Answered = {
  columns: [
    { name: 'BIG', type: 'number' },
    { name: 'SMALL', type: 'number' },
    { name: 'DAY', type: 'date' },
    { name: 'AT', type: 'timestamp' },
    { name: 'THERE', type: 'timestampTz' },
    { name: 'BYTES', type: 'raw' },
    { name: 'NOTHING', type: 'varchar' },
  ],
  rows: [
    [
      ...['123456789012345678901234567890.12345678', '-0.00000000000000000001', '1999-12-31 23:59:58'],
      ...['2026-01-31 00:00:00.123456789', '2026-06-30 20:30:00.000000001 +05:30'],
      ...[Buffer.from('00ff10', 'hex'), null],
    ],
  ],
}
