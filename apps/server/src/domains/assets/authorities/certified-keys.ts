import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { LoginCertificate } from '../../../kernel/secrets/login.ts'
import { type CertifiedKey, certifiedKey } from '../../../kernel/ssh/certificates/user-certificate.ts'
import { assetsSshAuthority, assetsSshTrust } from '../tables.ts'

/** Clocks of machines may be behind by so much. */
const SLACK_MS = 2 * 60_000
/** In which the login has to happen; what was opened by then goes on. */
const LIFE_MS = 3 * 60_000

/** A key that an authority has certified. */
export interface AuthorizedKey extends CertifiedKey {
  authority: string
  version: number
  /** Whether it is the newest of its organization. */
  isCurrent: boolean
}

/**
 * A new key for one login, certified by each authority of the organization that machines may trust,
 * the newest first: a machine that does not know it yet takes an earlier one. Empty where the
 * organization has none.
 */
export async function certifiedKeys(
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  username: string,
  { orgId, notes, forwards = false }: LoginCertificate,
): Promise<AuthorizedKey[]> {
  const rows = await db
    .select()
    .from(assetsSshAuthority)
    .where(and(eq(assetsSshAuthority.org_id, orgId), isNull(assetsSshAuthority.date_retired)))
    .orderBy(desc(assetsSshAuthority.version))
  const open = secrets.open('certificate', keyIdOf(notes))
  const now = Date.now()
  const terms = {
    principal: username,
    keyId: keyIdOf(notes),
    validAfter: new Date(now - SLACK_MS),
    validBefore: new Date(now + LIFE_MS),
    extensions: ['permit-pty', ...(forwards ? ['permit-port-forwarding'] : [])],
  }
  return rows.flatMap(({ id, version, private_key_sealed, source_addresses }, place) =>
    private_key_sealed
      ? [
          {
            ...certifiedKey(open(private_key_sealed), { ...terms, sourceAddresses: source_addresses }),
            ...{ authority: id, version, isCurrent: place === 0 },
          },
        ]
      : [],
  )
}

/**
 * The key id, for the machine's log: `sallyport person=alice session=…`. Other characters than those of plain
 * names are escaped, so that no name can look like more than itself.
 */
export const keyIdOf = (notes: LoginCertificate['notes']): string =>
  ['sallyport', ...Object.entries(notes).map(([name, value]) => `${name}=${escaped(value)}`)].join(' ')

const escaped = (value: string) =>
  encodeURIComponent(value.slice(0, 256)).replace(/%40|[!'()*~]/g, (found) => ESCAPES[found] ?? found)
const ESCAPES: Readonly<Record<string, string>> = {
  '%40': '@',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '*': '%2A',
  '~': '%7E',
}

/** Public keys of the authorities that machines of an organization are to trust, the newest first. */
export async function trustedAuthorities(db: Database, orgId: string): Promise<string[]> {
  const rows = await db
    .select({ public_key: assetsSshAuthority.public_key })
    .from(assetsSshAuthority)
    .where(and(eq(assetsSshAuthority.org_id, orgId), isNull(assetsSshAuthority.date_retired)))
    .orderBy(desc(assetsSshAuthority.version))
  return rows.map(({ public_key }) => public_key)
}

/** Notes which authority an asset trusts, as a login has just shown. */
export async function noteTrust(
  { db }: Pick<Kernel, 'db'>,
  asset: string,
  { authority }: AuthorizedKey,
): Promise<void> {
  await db
    .insert(assetsSshTrust)
    .values({ asset, authority })
    .onConflictDoUpdate({
      target: assetsSshTrust.asset,
      set: { authority, date_seen: sql`now()` },
      setWhere: sql`${assetsSshTrust.authority} <> excluded.authority OR ${assetsSshTrust.date_seen} < now() - interval '1 hour'`,
    })
}
