import { type Notice, notice } from '../../session/notice.ts'

const forbidden = (text: string): Notice => notice('denied', text, {}, 'urgent')

const IDENTITY = forbidden('Whom you act for is settled when you connect: connect again to change it')
const REPLICATION = forbidden('Replication is not possible here')
const OTHERS = forbidden('What others do at this server is not to be seen or ended from here')
const DEBUGGED = forbidden('Scripts cannot be debugged here: what is sent to them meanwhile is no command')
const SILENT = forbidden('Every command must have its answer here')
const MESSAGES = forbidden('Messages cannot be asked for in a transaction here')
const VERSION = forbidden('The version of the protocol cannot be changed in a transaction here')
const DATABASE = forbidden('This application leads to one database alone')

/**
 * Commands that concern more than the client that sends them, whatever the rules say; names in
 * small letters.
 */
const ALWAYS: Readonly<Record<string, Notice>> = {
  auth: IDENTITY,
  reset: IDENTITY,
  monitor: OTHERS,
  'client kill': OTHERS,
  'client reply': SILENT,
  'script debug': DEBUGGED,
  sync: REPLICATION,
  psync: REPLICATION,
  replconf: REPLICATION,
  replicaof: REPLICATION,
  slaveof: REPLICATION,
}

/** How they begin. */
const FIRST_WORDS = new Set(Object.keys(ALWAYS).map((name) => name.split(' ')[0]))

/** Commands that are refused for an application that names its database. */
const ONE_DATABASE: Readonly<Record<string, Notice>> = { swapdb: DATABASE, move: DATABASE }

const SUBSCRIBES = new Set(['subscribe', 'psubscribe', 'ssubscribe'])

/** Facts by which a client's commands are read. */
export interface CommandPlace {
  /** In a transaction that has not been ended. */
  isInTransaction: boolean
  /** The number of the only database; empty where others may be chosen. */
  database: string
}

/** Why a command is never sent to the server; undefined for any other. Names in small letters. */
export function whyForbidden(
  parts: readonly Buffer[],
  { isInTransaction, database }: CommandPlace,
): Notice | undefined {
  const word = (at: number) => parts[at]?.toString('latin1', 0, 32).toLowerCase() ?? ''
  const name = word(0)
  const always = FIRST_WORDS.has(name) && [name, `${name} ${word(1)}`].find((one) => Object.hasOwn(ALWAYS, one))
  if (always) return ALWAYS[always]
  if (name === 'hello' && parts.some((_, at) => at > 1 && word(at) === 'auth')) return IDENTITY
  if (isInTransaction && SUBSCRIBES.has(name)) return MESSAGES
  // It would be answered as queued, and what it changes would be seen nowhere.
  if (isInTransaction && name === 'hello') return VERSION
  if (!database) return undefined
  const isOther = name === 'select' && word(1) !== database
  const copiesAway = name === 'copy' && parts.some((_, at) => at > 2 && word(at) === 'db')
  if (isOther || copiesAway) return DATABASE
  return Object.hasOwn(ONE_DATABASE, name) ? ONE_DATABASE[name] : undefined
}
