/** Messages between a client and a server of tests once the listener has accepted. */
import type { Duplex } from 'node:stream'
import { beginLogon, type Logon } from './o5logon-fixture.ts'
import {
  type Cell,
  type ColumnOf,
  describeAnswer,
  endAnswer,
  Fields,
  largeAnswer,
  type Pair,
  pairsAnswer,
  protocolAnswer,
  readPairs,
  rowsAnswer,
  statusAnswer,
  typesAnswer,
} from './ttc-fixture.ts'

const DATA = 6
const MARKER = 12
const MARK = { break: 1, reset: 2, interrupt: 3 } as const
const SAYS = { protocol: 1, types: 2, function: 3, piggyback: 17 } as const
const ASKS = {
  execute: 94,
  fetch: 5,
  signIn: 118,
  prove: 115,
  rollback: 15,
  logoff: 9,
  large: 96,
  closeCursors: 105,
} as const
const DEFINE = 0x10
const NO_MORE_ROWS = 1403
const BROKEN = { number: 1013, words: 'ORA-01013: user requested cancel of current operation' }
const WRONG_LOGIN = { number: 1017, words: 'ORA-01017: invalid username/password; logon denied' }
/** 19.21. */
const VERSION = String((19 << 24) | (21 << 16))
/** A packet holds no more. */
const UNIT_BYTES = 8192
const HEADER_BYTES = 10

/** A client that has signed in. */
export interface Seat {
  username: string
  program: string
  service: string
  isInTransaction: boolean
}

/** Outcome of a statement. */
export type Answered =
  | { columns: readonly ColumnOf[]; rows: readonly (readonly Cell[])[] }
  | { changed: number; isInvalid?: boolean }
  | { number: number; words: string }

export interface OracleOptions {
  /** Services that the listener knows. */
  services: readonly string[]
  /** The password of an account; undefined where there is none. */
  password(username: string): string | undefined
  /** Changes it; an answer says why not. */
  change(username: string, changed: string): { number: number; words: string } | undefined
  /** A promise may wait for what aborts it. */
  answer(statement: string, seat: Seat, broken: AbortSignal): Promise<Answered> | Answered
  /** A piece of a large object. */
  large(id: number, from: number, count: number): string
}

interface Cursor {
  columns: readonly ColumnOf[]
  left: readonly (readonly Cell[])[]
}

interface House {
  options: OracleOptions
  received: string[]
  seats: Set<Seat>
}

/** `rest`: what has come already. */
export function converse(stream: Duplex, rest: Buffer, service: string, { options, received, seats }: House): void {
  let pending = Buffer.alloc(0)
  let logon: Logon | undefined
  let username = ''
  let program = ''
  let seat: Seat | undefined
  let opened: ((value: string | undefined) => string) | undefined
  /** The running statement, until it is broken. */
  let running: AbortController | undefined
  let isBroken = false
  const cursors = new Map<number, Cursor>()
  const send = (...parts: Buffer[]) => {
    const body = Buffer.concat(parts)
    for (let at = 0; at < body.length; at += UNIT_BYTES - HEADER_BYTES) {
      const piece = body.subarray(at, at + UNIT_BYTES - HEADER_BYTES)
      const header = Buffer.alloc(HEADER_BYTES)
      header.writeUInt32BE(HEADER_BYTES + piece.length)
      header[4] = DATA
      if (!stream.destroyed) stream.write(Buffer.concat([header, piece]))
    }
  }
  const mark = (what: number) => stream.write(Buffer.of(0, 0, 0, 11, MARKER, 0, 0, 0, 1, 0, what))
  const end = (more: Partial<Parameters<typeof endAnswer>[0]> = {}) =>
    endAnswer({ isInTransaction: seat?.isInTransaction ?? false, ...more })

  const signIn = (fields: Fields) => {
    fields.skip(1)
    fields.numbers(2)
    fields.skip(1)
    const pairs = fields.number()
    fields.skip(2)
    username = fields.sized().toString().toUpperCase()
    program = readPairs(fields, pairs).get('AUTH_PROGRAM_NM') ?? ''
    // An unknown user is asked like everybody else.
    logon = beginLogon(options.password(username) ?? String(Math.random()))
    send(pairsAnswer(logon.question), statusAnswer())
  }
  const prove = (fields: Fields) => {
    fields.skip(1)
    fields.numbers(2)
    fields.skip(1)
    const pairs = fields.number()
    fields.skip(2)
    fields.sized()
    const values = readPairs(fields, pairs)
    if (seat) return changePassword(values)
    const proven = logon?.proven(values)
    if (!proven) return send(end(WRONG_LOGIN))
    opened = proven.opened
    seat = { username, program, service, isInTransaction: false }
    seats.add(seat)
    const more: Pair[] = [
      { key: 'AUTH_VERSION_NO', value: VERSION },
      { key: 'AUTH_SC_SERVICE_NAME', value: service },
    ]
    return send(pairsAnswer([...proven.pairs, ...more]), statusAnswer())
  }
  const changePassword = (values: ReadonlyMap<string, string>) => {
    const isKnown = opened?.(values.get('AUTH_PASSWORD')) === options.password(username)
    const refused = isKnown ? options.change(username, opened?.(values.get('AUTH_NEWPASSWORD')) ?? '') : WRONG_LOGIN
    return refused ? send(end(refused)) : send(pairsAnswer([]), statusAnswer())
  }
  /** So many rows of a cursor, and whether there are more. */
  const fetched = (id: number, count: number): Buffer[] => {
    const cursor = cursors.get(id)
    if (!cursor) return [end({ number: 1001, words: 'ORA-01001: invalid cursor' })]
    const rows = cursor.left.slice(0, count)
    cursor.left = cursor.left.slice(count)
    const over = cursor.left.length ? {} : { number: NO_MORE_ROWS, words: 'ORA-01403: no data found' }
    return [...(rows.length ? [rowsAnswer(cursor.columns, rows)] : []), end({ cursor: id, rows: rows.length, ...over })]
  }
  const execute = async (fields: Fields) => {
    const how = fields.number()
    const cursor = fields.number()
    fields.past('bnbnbbb')
    const count = fields.number()
    fields.past('nbnbbbbbbnnbbbnbnnbnbbnbnbbn')
    if (how & DEFINE) return send(...fetched(cursor, count))
    const statement = fields.sized().toString()
    received.push(statement)
    const broken = new AbortController()
    running = broken
    const answered = await options.answer(statement, seat as Seat, broken.signal)
    running = undefined
    if (isBroken) return undefined
    if ('number' in answered) return send(end(answered))
    if ('changed' in answered) return send(end({ rows: answered.changed, isInvalid: answered.isInvalid ?? false }))
    const id = cursors.size + 1
    cursors.set(id, { columns: answered.columns, left: answered.rows })
    // Large objects are first asked for in the client's own way.
    const isLarge = answered.columns.some(({ type }) => type === 'clob')
    return send(describeAnswer(answered.columns), ...(isLarge ? [end({ cursor: id })] : fetched(id, count)))
  }
  const large = (fields: Fields) => {
    fields.skip(1)
    const bytes = fields.number()
    fields.skip(1)
    fields.numbers(3)
    fields.skip(3)
    fields.number()
    fields.skip(2)
    const from = fields.number()
    fields.number()
    fields.skip(7)
    const where = Buffer.from(fields.take(bytes))
    send(largeAnswer(where, options.large(where.readUInt32BE(32), from, fields.number())), statusAnswer())
  }
  const heard = (body: Buffer) => {
    const fields = new Fields(body)
    for (;;) {
      const says = fields.byte()
      if (says === SAYS.protocol) return send(protocolAnswer())
      if (says === SAYS.types) return send(typesAnswer())
      const asks = fields.byte()
      fields.skip(1)
      if (says === SAYS.piggyback && asks === ASKS.closeCursors) {
        fields.skip(1)
        fields.numbers(fields.number())
        continue
      }
      if (says !== SAYS.function) return void stream.destroy()
      switch (asks) {
        case ASKS.signIn:
          return signIn(fields)
        case ASKS.prove:
          return prove(fields)
        case ASKS.execute:
          return void execute(fields)
        case ASKS.fetch:
          return send(...fetched(fields.number(), fields.number()))
        case ASKS.large:
          return large(fields)
        case ASKS.rollback:
          if (seat) seat.isInTransaction = false
          return send(statusAnswer())
        case ASKS.logoff:
          return send(statusAnswer())
        default:
          return void stream.destroy()
      }
    }
  }
  const marked = (what: number | undefined) => {
    if (what === MARK.reset) {
      isBroken = false
      mark(MARK.reset)
      return send(end(BROKEN))
    }
    isBroken = true
    running?.abort()
    return mark(MARK.break)
  }
  /** A client cuts what it says into packets; the last is not full. */
  let packets: Buffer[] = []
  const read = (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= 8 && pending.length >= pending.readUInt32BE(0)) {
      const length = pending.readUInt32BE(0)
      const packet = Buffer.from(pending.subarray(0, length))
      pending = pending.subarray(length)
      if (packet[4] === MARKER) marked(packet[10])
      else if (packet[4] !== DATA) stream.destroy()
      else {
        packets.push(packet.subarray(HEADER_BYTES))
        if (length >= UNIT_BYTES) continue
        const whole = Buffer.concat(packets)
        packets = []
        // Nothing but a farewell.
        if (whole.length) heard(whole)
      }
    }
  }
  stream.on('data', read)
  stream.once('end', () => stream.end())
  stream.once('close', () => {
    running?.abort()
    if (seat) seats.delete(seat)
  })
  read(rest)
}
