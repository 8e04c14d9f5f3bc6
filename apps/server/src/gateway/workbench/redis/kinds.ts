import type { RedisReply } from './redis-replies.ts'

/** Elements of a page. */
const PAGE = 100
/** Limit of a text, in bytes. */
const TEXT_BYTES = 64 * 1024

/** Content of a key, as rows; `next` is empty behind the last. */
export interface Page {
  rows: RedisReply[][]
  next: string
}

interface KindOfKey {
  /** Asks how long it is. */
  length: string
  /** Asks for a page of it. */
  command(key: Buffer, from: string): (string | Buffer)[]
  read(reply: RedisReply, from: string): Page
}

const numberOf = (from: string) => Number(from || 0)
const listOf = (reply: RedisReply | undefined) => (Array.isArray(reply) ? reply : [])
const textOf = (reply: RedisReply | undefined) => (reply && 'bytes' in reply ? reply.bytes.toString() : '')
const bytes = (text: string): RedisReply => ({ bytes: Buffer.from(text), isCut: false })

/** In rows of so many. */
const rowsOf = (all: readonly RedisReply[], width: number): RedisReply[][] =>
  Array.from({ length: Math.ceil(all.length / width) }, (_, row) => all.slice(row * width, (row + 1) * width))

/** By the place of the first and of the last. */
const byPlace = (length: string, command: string, options: readonly string[], width: number): KindOfKey => ({
  length,
  command: (key, from) => [command, key, String(numberOf(from)), String(numberOf(from) + PAGE - 1), ...options],
  read(reply, from) {
    const rows = rowsOf(listOf(reply), width)
    const numbered = rows.map((row, at) => [bytes(String(numberOf(from) + at)), ...row])
    return { rows: numbered, next: rows.length < PAGE ? '' : String(numberOf(from) + PAGE) }
  },
})

/** By a cursor of the server's. */
const byCursor = (length: string, command: string, width: number): KindOfKey => ({
  length,
  command: (key, from) => [command, key, from || '0', 'COUNT', String(PAGE)],
  read(reply) {
    const [cursor, found] = listOf(reply)
    const next = textOf(cursor)
    return { rows: rowsOf(listOf(found), width), next: next === '0' ? '' : next }
  },
})

const string: KindOfKey = {
  length: 'STRLEN',
  command: (key, from) => ['GETRANGE', key, String(numberOf(from)), String(numberOf(from) + TEXT_BYTES - 1)],
  read(reply, from) {
    if (!reply || !('bytes' in reply) || reply.bytes.length < TEXT_BYTES) return { rows: [[reply]], next: '' }
    const end = lastCharacter(reply.bytes)
    return { rows: [[{ ...reply, bytes: reply.bytes.subarray(0, end) }]], next: String(numberOf(from) + end) }
  },
}

/** Begin of the last character of a text in UTF-8: it may have been cut in two. */
export function lastCharacter(bytes: Buffer): number {
  let at = bytes.length - 1
  while (bytes.length - at < 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return Math.max(0, at)
}

/** Entries in the order of their ids, each with its fields as one text. */
const stream: KindOfKey = {
  length: 'XLEN',
  command: (key, from) => ['XRANGE', key, from ? `(${from}` : '-', '+', 'COUNT', String(PAGE)],
  read(reply) {
    const entries = listOf(reply).map(listOf)
    const last = textOf(entries.at(-1)?.[0])
    const rows = entries.map(([id = null, fields]) => [id, bytes(fieldsOf(listOf(fields)))])
    return { rows, next: rows.length < PAGE ? '' : last }
  },
}

const fieldsOf = (fields: readonly RedisReply[]) =>
  JSON.stringify(rowsOf(fields, 2).map(([name, value]) => [textOf(name), textOf(value)]))

/** Types of a key, by the server's word for them. */
export const KINDS = {
  string,
  list: byPlace('LLEN', 'LRANGE', [], 1),
  set: byCursor('SCARD', 'SSCAN', 1),
  hash: byCursor('HLEN', 'HSCAN', 2),
  zset: byPlace('ZCARD', 'ZRANGE', ['WITHSCORES'], 2),
  stream,
} as const satisfies Record<string, KindOfKey>

export type Kind = keyof typeof KINDS
