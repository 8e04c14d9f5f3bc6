import type { FindingState } from '@sallyport/contract/resources/monitor/doctor.ts'
import type { Settings } from '@sallyport/contract/settings/index.ts'
import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Language, Say } from '../i18n/translate.ts'
import type { ConfiguredKeys } from '../secrets/key-source.ts'
import type { Vault } from '../secrets/vault.ts'

/** A sentence for people. It never holds a secret. */
export type Words = (say: Say, language: Language) => string

/** A finding of a check. */
export interface Outcome {
  state: FindingState
  /** The finding as a sentence. */
  words: Words
  /** What to do about it; missing where nothing is to be done. */
  mend?: Words | undefined
  /** What exactly was looked at, where a check looks at several: a port, a node, a certificate. */
  subject?: string | undefined
}

/**
 * Where checks run: in the server, or in a command beside it. What cannot be had throws `NotChecked`,
 * which a check need not catch: its finding then says why it was not made.
 */
export interface Place {
  config: Config
  /** Whether the process is the server itself. */
  isServer: boolean
  /** Process id of the server that runs on this data directory. */
  serverPid: number | undefined
  /** A time server to ask, instead of those that the machine names. */
  timeServer: string | undefined
  /** A few connections. Throws NotChecked where the database cannot be reached. */
  database(): Promise<{ pool: pg.Pool; db: Database }>
  /** Why the database cannot be reached; undefined where it can. */
  databaseFault(): Promise<Outcome | undefined>
  /** The keys of this machine. Throws NotChecked where there are none. */
  keys(): Promise<ConfiguredKeys>
  /** Opens what the database holds. */
  secrets(): Promise<Vault>
  /** The settings in force. */
  settings(): Promise<Settings>
}

/** Something that can be wrong with an installation, and how to find out (docs/design/doctor.md). */
export interface Check {
  /** Stable: `<part>` or `<part>.<what>`. docs/doctor.md has a section of that name. */
  name: string
  /** What it is about, in English; the catalog has its Chinese. */
  title: string
  /** Milliseconds that it may take, when not `CHECK_LIMIT_MS`. */
  limitMs?: number
  /**
   * Looks, changes nothing that stays, and asks nobody whom the configuration does not name. What it
   * throws becomes an error.
   * @param signal aborted when the time is over
   */
  run(place: Place, signal: AbortSignal): Promise<Outcome | readonly Outcome[]>
}

/** The check could not be made; nothing is known about what it looks at. */
export class NotChecked extends Error {
  readonly words: Words
  readonly mend: Words | undefined

  constructor(words: Words, mend?: Words) {
    super(words((english) => english, 'en'))
    this.words = words
    this.mend = mend
  }
}

export const ok = (words: Words, subject?: string): Outcome => ({ state: 'ok', words, subject })
export const warning = (words: Words, mend: Words, subject?: string): Outcome => ({
  state: 'warning',
  words,
  mend,
  subject,
})
export const wrong = (words: Words, mend: Words, subject?: string): Outcome => ({
  state: 'error',
  words,
  mend,
  subject,
})
export const notChecked = (words: Words, mend?: Words, subject?: string): Outcome => ({
  state: 'not checked',
  words,
  mend,
  subject,
})
