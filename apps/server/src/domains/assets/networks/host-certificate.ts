import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import {
  CERTIFIED,
  type Certificate,
  isInTime,
  readCertificate,
  typeOfKey,
} from '../../../kernel/ssh/certificates/certificate.ts'
import type { ExpectedKeys, HostKeyCheck } from '../../../kernel/ssh/connect.ts'
import { sha256Of } from '../../../kernel/ssh/keys/plain-key.ts'
import { assetsHostAuthority, assetsHostKey } from '../tables.ts'
import { type HostKeyScope, isWhereItBelongs, pinnedHere, pinnedHostKeys } from './host-key.ts'

type Judged = Awaited<ReturnType<HostKeyCheck['decide']>>

/** Those of the organization, and those of the network that the machine is in. */
const authoritiesOf = ({ orgId, domain }: HostKeyScope) =>
  and(
    eq(assetsHostAuthority.org_id, orgId),
    eq(assetsHostAuthority.is_active, true),
    or(isNull(assetsHostAuthority.domain), domain ? eq(assetsHostAuthority.domain, domain) : sql`false`),
  )

/** Keys that a server may show: of these types, or certified where an authority may vouch for it. One query. */
export async function expectedKeys(db: Database, scope: HostKeyScope): Promise<ExpectedKeys> {
  const { rows } = await db.execute<{ types: string[]; certified: boolean }>(sql`
    SELECT ARRAY (SELECT ${assetsHostKey.key_type} FROM ${assetsHostKey} WHERE ${pinnedHere(scope)}) AS types,
      EXISTS (SELECT FROM ${assetsHostAuthority} WHERE ${authoritiesOf(scope)}) AS certified`)
  const { types = [], certified = false } = rows[0] ?? {}
  return { types: types.length ? types : (await pinnedHostKeys(db, scope)).map((key) => key.key_type), certified }
}

/**
 * Judges what a server shows, where it is a certificate: accepted where a trusted authority says that
 * the server is at this address; refused where it says anything else. Answers the key in it where
 * nobody who is trusted has signed it, or where the machine was moved: an authority says nothing about
 * what is to be sent there. Undefined for a key without a certificate.
 */
export async function judgeHostCertificate(
  db: Database,
  scope: HostKeyScope,
  shown: Buffer,
): Promise<Judged | Buffer | undefined> {
  if (!typeOfKey(shown).endsWith(CERTIFIED)) return undefined
  const certificate = readCertificate(shown)
  if (!certificate) return refused(shown, 'The host certificate is not valid')
  const known = await db
    .select({ public_key: assetsHostAuthority.public_key })
    .from(assetsHostAuthority)
    .where(authoritiesOf(scope))
  const signer = certificate.authority.toString('base64')
  if (!known.some(({ public_key }) => public_key.split(' ')[1] === signer)) return certificate.key
  const fault = faultOf(certificate, scope.host)
  if (fault) return refused(shown, fault)
  if (!(await isWhereItBelongs(db, scope))) return certificate.key
  const fingerprint = sha256Of(certificate.key)
  return { accepted: true, fingerprint, trusted: [fingerprint], isMoved: false }
}

function refused(shown: Buffer, fault: string): Judged {
  return { accepted: false, fingerprint: sha256Of(shown), trusted: [], isMoved: false, fault }
}

/** Names count exactly as they are written, whatever their case; none is good for all. */
function faultOf(certificate: Certificate, host: string): string | undefined {
  const { kind, principals, criticalOptions } = certificate
  if (kind !== 'host') return 'The host certificate is one of a person, and none of a machine'
  if (!isInTime(certificate)) return 'The host certificate has expired, or is not valid yet'
  // None is known for machines, and what is critical must not be passed over.
  if (criticalOptions.size) return 'The host certificate has conditions that are not known'
  if (!principals.some((name) => name.toLowerCase() === host.toLowerCase()))
    return 'The host certificate is for other names than the address of the machine'
  return undefined
}
