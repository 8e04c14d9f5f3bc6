import { randomInt } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import { until } from '../../../kernel/events/until.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

/** So long it may be confirmed, and so long it may be used once it is. */
export const BROWSER_SECONDS = 120
/** Told on all nodes when a person has answered. */
const ANSWERED = 'authentication.browser_answered'
/** Without letters and digits that are taken for one another, and without vowels, which make words. */
const SIGNS = 'BCDFGHJKLMNPQRSTVWXZ23456789'
/** Sign-ins that may wait at once from one address, and of one name there. */
const OF_ADDRESS = 20
const OF_NAME = 3

export interface BrowserSignIn {
  id: string
  username: string
  remote_addr: string
  /** The client's name for itself. */
  program: string
  /** The person's key, where the client has proven it. */
  key_fingerprint: string | null
  state: 'open' | 'confirmed' | 'refused' | 'used'
  date_created: Date
  date_expired: Date
}

const COLUMNS = 'id, username, remote_addr, program, key_fingerprint, state, date_created, date_expired'

/** Two groups of four signs: 38 bits, for two minutes and a person who is signed in. */
function newCode(): string {
  const group = () => Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return `${group()}-${group()}`
}

/** The code as it was made, however it was typed; undefined when it is none. */
export function codeIn(text: string): string | undefined {
  const signs = text.toUpperCase().replaceAll(/[\s-]/g, '')
  const isCode = signs.length === 8 && [...signs].every((sign) => SIGNS.includes(sign))
  return isCode ? `${signs.slice(0, 4)}-${signs.slice(4)}` : undefined
}

/**
 * Keeps a sign-in that waits for its person. Names that nobody has are kept as well. `key` is the
 * fingerprint of the person's key, if the client has proven it.
 * Undefined when too many wait there.
 */
export async function keepBrowserSignIn(
  { pool }: Kernel,
  { username, address, program, key }: { username: string; address: string; program: string; key?: string },
): Promise<{ id: string; code: string } | undefined> {
  const code = newCode()
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO authentication_browser_sign_in (code_hash, username, remote_addr, program, key_fingerprint, date_expired)
     SELECT $1, $2, $3, $4, $8, now() + make_interval(secs => $5)
     WHERE (SELECT count(*) < $6 AND count(*) FILTER (WHERE username = $2) < $7
            FROM authentication_browser_sign_in
            WHERE remote_addr = $3 AND state = 'open' AND date_expired > now())
     RETURNING id`,
    [hashKey(code), plain(username), address, plain(program), BROWSER_SECONDS, OF_ADDRESS, OF_NAME, key ?? null],
  )
  return rows[0] && { id: rows[0].id, code }
}

/** The database takes no zero byte. */
const plain = (text: string) => text.replaceAll('\0', '').slice(0, 256)

/** The sign-in of a code, until it expires. */
export async function browserSignInOf({ pool }: Kernel, code: string): Promise<BrowserSignIn | undefined> {
  const { rows } = await pool.query<BrowserSignIn>(
    `SELECT ${COLUMNS} FROM authentication_browser_sign_in WHERE code_hash = $1 AND date_expired > now()`,
    [hashKey(code)],
  )
  return rows[0]
}

/** How a sign-in stands that this name at this address has begun; undefined once it has expired. */
export async function stateOfBrowserSignIn(
  { pool }: Kernel,
  { id, username, address }: { id: string; username: string; address: string },
): Promise<BrowserSignIn['state'] | undefined> {
  const { rows } = await pool.query<Pick<BrowserSignIn, 'state'>>(
    `SELECT state FROM authentication_browser_sign_in
     WHERE id = $1 AND username = $2 AND remote_addr = $3 AND date_expired > now()`,
    [id, plain(username), address],
  )
  return rows[0]?.state
}

/**
 * Keeps the answer of a person in a browser session; false when it was answered before, or has
 * expired. `mfa`: they have just proven their second factor there.
 */
export async function answerBrowserSignIn(
  db: Database,
  id: string,
  {
    state,
    userId,
    sessionId,
    mfa,
  }: { state: 'confirmed' | 'refused'; userId: string; sessionId: string; mfa: boolean },
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    UPDATE authentication_browser_sign_in
    SET state = ${state}, user_id = ${userId}, mfa = ${mfa},
      date_expired = now() + make_interval(secs => ${BROWSER_SECONDS}),
      outside = EXISTS (SELECT FROM authentication_session WHERE id = ${sessionId} AND state ? 'outside')
    WHERE id = ${id} AND state = 'open' AND date_expired > now()`)
  if (!rowCount) return false
  await publishIn(db, ANSWERED, { id })
  return true
}

/** Waits for the person's answer; undefined when the signal aborts first, or it has expired. */
export function browserAnswer(
  { pool, events }: Kernel,
  id: string,
  signal: AbortSignal,
): Promise<BrowserSignIn['state'] | undefined> {
  return until(events, {
    event: ANSWERED,
    concerns: (payload) => payload.id === id,
    async read() {
      const { rows } = await pool.query<Pick<BrowserSignIn, 'state'>>(
        'SELECT state FROM authentication_browser_sign_in WHERE id = $1 AND date_expired > now()',
        [id],
      )
      return rows[0]?.state
    },
    isOver: (state) => state !== 'open',
    signal,
  })
}

/** Whom a confirmed sign-in signs in, and how they were signed in in the browser. */
export interface Confirmed {
  userId: string
  /** They had just proven their second factor. */
  mfa: boolean
  /** A provider had let them in. */
  outside: boolean
}

/** Uses a confirmed sign-in up: once, and at the address that asked alone. */
export async function useBrowserSignIn({ pool }: Kernel, id: string, address: string): Promise<Confirmed | undefined> {
  const { rows } = await pool.query<Confirmed>(
    `UPDATE authentication_browser_sign_in SET state = 'used'
     WHERE id = $1 AND state = 'confirmed' AND remote_addr = $2 AND date_expired > now()
     RETURNING user_id AS "userId", mfa, outside`,
    [id, address],
  )
  return rows[0]
}

/** Whether a refusal is still to be logged: true once, and at the address that asked alone. */
export async function takeRefusal({ pool }: Kernel, id: string, address: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE authentication_browser_sign_in SET refusal_logged = true
     WHERE id = $1 AND state = 'refused' AND NOT refusal_logged AND remote_addr = $2`,
    [id, address],
  )
  return rowCount === 1
}

/** Nobody waits for it any more: it can't be confirmed. */
export async function dropBrowserSignIn({ pool }: Kernel, id: string): Promise<void> {
  await pool.query(`DELETE FROM authentication_browser_sign_in WHERE id = $1 AND state = 'open'`, [id])
}
