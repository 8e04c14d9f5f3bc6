/** The keys of a Redis server in a page (`type=redis&view=workbench`). */
import * as z from 'zod/mini'
import { asking, reply } from './asking.ts'
import { json, type MessageOf } from './message.ts'
import { BROWSING, type ShownValue } from './workbench.ts'

const KEY_CHARACTERS = 64 * 1024

/** A key whose elements can be shown, by what the server calls its type. */
export const KEY_TYPES = ['string', 'list', 'set', 'hash', 'zset', 'stream'] as const

/** Text, or bytes that are none in hexadecimal. */
const key = z.union([
  z.string().check(z.maxLength(KEY_CHARACTERS)),
  z.tuple([z.string().check(z.maxLength(2 * KEY_CHARACTERS), z.regex(/^(?:[0-9a-f]{2})+$/))]),
])
export type KeyName = z.output<typeof key>

const question = z.discriminatedUnion('about', [
  /** The next keys, from the beginning where the cursor is '0'. */
  z.object({
    about: z.literal('keys'),
    cursor: z.string().check(z.regex(/^\d{1,20}$/)),
    pattern: z.string().check(z.maxLength(1024)),
    type: z.string().check(z.maxLength(64)),
  }),
  z.object({ about: z.literal('key'), key }),
  /** Its content from one place on: empty for the first, a place, a cursor, or the id of a stream's entry. */
  z.object({
    about: z.literal('elements'),
    key,
    type: z.enum(KEY_TYPES),
    from: z.string().check(z.regex(/^(?:\d{1,20}(?:-\d{1,20})?)?$/)),
  }),
])
export type KeyQuestion = z.output<typeof question>

export const KEY_ANSWERS = {
  /** `next`: the cursor of those behind them, '0' where there are none; `total`: of the database. */
  keys: z.object({ keys: z.array(key), next: z.string(), total: z.optional(z.number()) }),
  /** `expiresIn`: milliseconds; `bytes` and `length` where the server says so. */
  key: z.object({
    type: z.string(),
    expiresIn: z.optional(z.number()),
    bytes: z.optional(z.number()),
    length: z.optional(z.number()),
  }),
  /** `next` is empty behind the last. */
  elements: z.object({ rows: z.custom<ShownValue[][]>(Array.isArray), next: z.string(), isCut: z.boolean() }),
} as const

const start = z.object({ dialect: z.literal('redis'), database: z.string(), locked: z.optional(z.boolean()) })

export const KEYS = {
  fromClient: { ...BROWSING.fromClient, WORKBENCH_ASK: asking(question) },
  fromGateway: { ...BROWSING.fromGateway, WORKBENCH_START: json(start), WORKBENCH_REPLY: reply },
} as const

export type KeysFromClient = MessageOf<typeof KEYS.fromClient>
export type KeysFromGateway = MessageOf<typeof KEYS.fromGateway>
