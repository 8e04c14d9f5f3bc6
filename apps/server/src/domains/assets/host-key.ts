import { createHash } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import { assetsHostKey } from './tables.ts'

/**
 * An asset's or a gateway's address. Their keys are stored apart, so that neither can vouch for the
 * other.
 */
export interface HostKeyScope {
  orgId: string
  asset?: string
  gateway?: string
  host: string
  port: number
}

export interface SeenHostKey {
  state: 'pinned' | 'refused'
  fingerprint: string
  /** Fingerprints that are trusted here, to compare a refused one with. */
  trusted: string[]
}

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export function hostKeyFingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/** The algorithm name at the front of a key in wire format (RFC 4253 §6.6). */
function hostKeyType(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0
  return length > 0 && length <= 64 && length + 4 <= key.length ? key.toString('latin1', 4, 4 + length) : 'unknown'
}

function sameScope({ asset, gateway, host, port }: HostKeyScope) {
  return and(
    asset ? eq(assetsHostKey.asset, asset) : isNull(assetsHostKey.asset),
    gateway ? eq(assetsHostKey.gateway, gateway) : isNull(assetsHostKey.gateway),
    eq(assetsHostKey.host, host),
    eq(assetsHostKey.port, port),
  )
}

/**
 * Keys that are trusted for this host. Connections must ask for keys of these types first: a host
 * with several keys might show one never seen.
 */
export async function pinnedHostKeys(
  db: Database,
  scope: HostKeyScope,
): Promise<{ key_type: string; fingerprint: string }[]> {
  return db
    .select({ key_type: assetsHostKey.key_type, fingerprint: assetsHostKey.fingerprint })
    .from(assetsHostKey)
    .where(and(sameScope(scope), eq(assetsHostKey.state, 'pinned')))
}

/**
 * Compares the key that a server shows with those pinned for it. The first key ever seen is pinned.
 * Any other is recorded as refused and never becomes trusted here: only an administrator may accept
 * it, which is audited.
 */
export async function checkHostKey(database: Database, scope: HostKeyScope, key: Buffer): Promise<SeenHostKey> {
  const fingerprint = hostKeyFingerprint(key)
  return database.transaction(async (db) => {
    // Two first connections at once must not pin two different keys.
    await lockUntilCommit(db, `assets_host_key ${scope.asset ?? scope.gateway} ${scope.host} ${scope.port}`)
    const pinned = await pinnedHostKeys(db, scope)
    const trusted = pinned.map((one) => one.fingerprint)
    const state = !pinned.length || trusted.includes(fingerprint) ? 'pinned' : 'refused'
    await db
      .insert(assetsHostKey)
      .values({
        org_id: scope.orgId,
        asset: scope.asset ?? null,
        gateway: scope.gateway ?? null,
        host: scope.host,
        port: scope.port,
        key_type: hostKeyType(key),
        public_key: key.toString('base64'),
        fingerprint,
        state,
      })
      .onConflictDoUpdate({
        target: [
          assetsHostKey.asset,
          assetsHostKey.gateway,
          assetsHostKey.host,
          assetsHostKey.port,
          assetsHostKey.fingerprint,
        ],
        set: { state, date_last_seen: sql`now()` },
      })
    return { state, fingerprint, trusted: state === 'pinned' && !pinned.length ? [fingerprint] : trusted }
  })
}

/**
 * Trusts a refused key from now on, instead of those trusted before for that host. Answers the row
 * as it was; undefined when it is not refused (any more).
 */
export async function acceptHostKey(
  db: Database,
  id: string,
  acceptedBy: string,
): Promise<typeof assetsHostKey.$inferSelect | undefined> {
  const [key] = await db
    .select()
    .from(assetsHostKey)
    .where(and(eq(assetsHostKey.id, id), eq(assetsHostKey.state, 'refused')))
    .for('update')
  if (!key) return undefined
  await db.delete(assetsHostKey).where(
    and(
      sameScope({
        orgId: key.org_id,
        host: key.host,
        port: key.port,
        ...(key.asset ? { asset: key.asset } : {}),
        ...(key.gateway ? { gateway: key.gateway } : {}),
      }),
      eq(assetsHostKey.state, 'pinned'),
    ),
  )
  await db
    .update(assetsHostKey)
    .set({ state: 'pinned', accepted_by: acceptedBy, date_accepted: sql`now()` })
    .where(eq(assetsHostKey.id, id))
  return key
}
