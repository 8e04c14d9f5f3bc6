import { sql } from 'drizzle-orm'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isInIpGroup } from '../../acls/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { AccessKeyProof } from './request-signature.ts'

/** How far a signed date may be from now: clocks of machines differ by less. */
const STRICT_MINUTES = 15

/** The last use of a key is stored at most this often, to spare a write for every call. */
const NOTE_SECONDS = 60
/**
 * How long the same signature may be sent again, and only from the address that sent it first.
 * Dates have whole seconds, so a client that sends the same request twice within one makes the same
 * signature twice, and libraries repeat a request that was not answered.
 */
const SAME_SECONDS = 10

/** The stored key of a correctly signed request. */
export interface UsedKey {
  id: string
  ip_group: readonly string[]
  date_last_used: Date | null
}

/**
 * Admits a correctly signed request and stores when the key was used. Throws 401 when the key may
 * not be used from this address, the date that was signed is too far from now, or the request is a
 * replay of an earlier one.
 */
export async function admitSignedRequest(
  kernel: Kernel,
  key: UsedKey,
  proof: AccessKeyProof,
  address: string,
): Promise<void> {
  if (!isInIpGroup(address, key.ip_group))
    throw new AppError(401, 'not_authenticated', 'This API key may not be used from your address.')
  const ageMinutes = settingsOf(kernel).get('SECURITY_SIGNED_REQUEST_AGE')
  refuseOtherTime(proof.date, ageMinutes)
  // Scripts that need more have one date, and with it one signature, for all that they send.
  if (ageMinutes <= STRICT_MINUTES) await refuseCopy(kernel, proof, address)
  if (!key.date_last_used || Date.now() - key.date_last_used.getTime() > NOTE_SECONDS * 1000)
    await kernel.db.execute(sql`UPDATE authentication_access_key SET date_last_used = now() WHERE id = ${key.id}`)
}

function refuseOtherTime(date: Date, ageMinutes: number): void {
  const now = new Date()
  const minutesOld = (now.getTime() - date.getTime()) / 60_000
  if (minutesOld < ageMinutes && minutesOld > -STRICT_MINUTES) return
  throw new AppError(
    401,
    'not_authenticated',
    'This request is signed with the date {{date}}, but here it is {{now}}: set the clock of the machine that signs, or sign each request with the time at which it is sent.',
    { values: { date: date.toUTCString(), now: now.toUTCString() } },
  )
}

async function refuseCopy({ db }: Pick<Kernel, 'db'>, proof: AccessKeyProof, address: string): Promise<void> {
  const end = new Date(proof.date.getTime() + STRICT_MINUTES * 60_000)
  const { rows } = await db.execute<{ admitted: boolean }>(sql`
    INSERT INTO authentication_used_signature AS used (signature_hash, remote_addr, date_expired)
    VALUES (${proof.fingerprint}, ${address}, ${end.toISOString()}::timestamptz)
    ON CONFLICT (signature_hash) DO UPDATE SET signature_hash = excluded.signature_hash
    RETURNING used.remote_addr = ${address} AND used.date_first > now() - make_interval(secs => ${SAME_SECONDS}) AS admitted`)
  if (!rows[0]?.admitted)
    throw new AppError(401, 'not_authenticated', 'This signed request was sent before. Sign each request anew.')
}
