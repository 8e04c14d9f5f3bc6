import { createHash } from 'node:crypto'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { authenticationAccessKey, authenticationPrivateToken } from '../tables.ts'

/** Keys that a person may have; see access-key.resource.ts. */
export const MOST_ACCESS_KEYS = 10

/** Stores pairs of id and secret with which programs sign their requests. */
export const arriveAccessKeys = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'access_key', table: authenticationAccessKey }, rows)

/**
 * A private token as it is stored: its hash, and an id that nobody can find it by. Each person has one, by
 * whom it is known: a new one there takes the place of the old one here.
 */
export const privateTokenRow = (token: string, userId: string, created: string, name: string): ArrivingRow => {
  const hash = hashKey(token)
  const hex = createHash('sha256').update('id of ').update(hash).digest('hex').slice(0, 32)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { key: userId, id, name, values: { key_hash: `\\x${hash.toString('hex')}`, user_id: userId, created } }
}

/** Stores private tokens. People who have one here already keep it. */
export const arrivePrivateTokens = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'private_token', table: authenticationPrivateToken }, rows)
