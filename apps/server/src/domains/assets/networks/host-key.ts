import { and, desc, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { sha256Of } from '../../../kernel/ssh/keys/plain-key.ts'
import { confirmDestination, isConfirmed } from '../destination.ts'
import { assetsAsset, assetsGateway, assetsHostKey, type Destination } from '../tables.ts'

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
  /** For an asset: the network that it is reached in. */
  domain?: string | null
}

export interface SeenHostKey {
  state: 'pinned' | 'refused'
  fingerprint: string
  /** Fingerprints that are trusted here, to compare a refused one with. */
  trusted: string[]
  /** Nobody has confirmed that the asset or gateway is at this address. */
  isMoved: boolean
}

export const hostKeyFingerprint = sha256Of

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

/** Keys that are pinned for an asset or gateway at this address. */
export const pinnedHere = (scope: HostKeyScope) => and(sameScope(scope), eq(assetsHostKey.state, 'pinned'))

interface PinnedHostKey {
  key_type: string
  fingerprint: string
}

const pinnedWhere = (db: Database, where: SQL | undefined): Promise<PinnedHostKey[]> =>
  db
    .select({ key_type: assetsHostKey.key_type, fingerprint: assetsHostKey.fingerprint })
    .from(assetsHostKey)
    .where(and(where, eq(assetsHostKey.state, 'pinned')))

/**
 * Keys that are trusted for this host: those pinned there; for an asset or gateway that was moved
 * there, those that it showed before. Connections must ask for keys of these types first: a host
 * with several keys might show one never seen.
 */
export async function pinnedHostKeys(db: Database, scope: HostKeyScope): Promise<PinnedHostKey[]> {
  const here = await pinnedWhere(db, sameScope(scope))
  if (here.length || (await isWhereItBelongs(db, scope))) return here
  return pinnedWhere(
    db,
    scope.asset ? eq(assetsHostKey.asset, scope.asset) : eq(assetsHostKey.gateway, scope.gateway ?? ''),
  )
}

/**
 * Whether this is where an asset is confirmed to be, or the address of the gateway: only there is a
 * key trusted because it is the first.
 */
export async function isWhereItBelongs(db: Database, scope: HostKeyScope): Promise<boolean> {
  const { host, port, gateway } = scope
  if (gateway) {
    const [row] = await db
      .select({ ip: assetsGateway.ip, port: assetsGateway.port })
      .from(assetsGateway)
      .where(eq(assetsGateway.id, gateway))
    return row?.ip === host && row.port === port
  }
  const [row] = await db
    .select({ confirmed_destinations: assetsAsset.confirmed_destinations })
    .from(assetsAsset)
    .where(eq(assetsAsset.id, scope.asset ?? ''))
  return row !== undefined && isConfirmed(row, sshDestination(scope))
}

const sshDestination = ({ host, port, domain = null }: HostKeyScope): Destination => ({
  protocol: `ssh/${port}`,
  address: host,
  domain,
  gateway: null,
})

/**
 * Notes that a server has shown a key that is pinned where it belongs, which is so for nearly every
 * connection. Answers false when it is not, with nothing changed.
 */
async function noteKnownKey(db: Database, scope: HostKeyScope, fingerprint: string): Promise<boolean> {
  const { asset, gateway, host, port } = scope
  const where = gateway
    ? sql`EXISTS (SELECT 1 FROM ${assetsGateway} WHERE ${and(eq(assetsGateway.id, gateway), eq(assetsGateway.ip, host), eq(assetsGateway.port, port))})`
    : sql`EXISTS (SELECT 1 FROM ${assetsAsset} WHERE ${assetsAsset.id} = ${asset ?? null} AND ${assetsAsset.confirmed_destinations} @> ${JSON.stringify([sshDestination(scope)])}::jsonb)`
  const { rowCount } = await db
    .update(assetsHostKey)
    .set({ is_moved: false, date_last_seen: sql`now()` })
    .where(and(sameScope(scope), eq(assetsHostKey.fingerprint, fingerprint), eq(assetsHostKey.state, 'pinned'), where))
  return (rowCount ?? 0) > 0
}

/**
 * Compares the key that a server shows with those pinned for it. The first key ever seen is pinned,
 * unless the asset was moved there: then it must show a key that it has shown before, which
 * confirms where it is now. Any other key is recorded as refused and never becomes trusted here:
 * only an administrator may accept it, which is audited.
 */
export async function checkHostKey(database: Database, scope: HostKeyScope, key: Buffer): Promise<SeenHostKey> {
  const fingerprint = hostKeyFingerprint(key)
  if (await noteKnownKey(database, scope, fingerprint))
    return { state: 'pinned', fingerprint, trusted: [fingerprint], isMoved: false }
  return database.transaction(async (db) => {
    // Two first connections at once must not pin two different keys.
    await lockUntilCommit(db, `assets_host_key ${scope.asset ?? scope.gateway} ${scope.host} ${scope.port}`)
    const isMoved = !(await isWhereItBelongs(db, scope))
    const pinned = await pinnedHostKeys(db, scope)
    const trusted = pinned.map((one) => one.fingerprint)
    const isFirst = !pinned.length && !isMoved
    const state = isFirst || trusted.includes(fingerprint) ? 'pinned' : 'refused'
    const is_moved = isMoved && state === 'refused'
    const seen = { state, is_moved, date_last_seen: sql`now()` } as const
    const { rowCount: wasKnown } = await db
      .update(assetsHostKey)
      .set(seen)
      .where(and(sameScope(scope), eq(assetsHostKey.fingerprint, fingerprint)))
    if (!wasKnown)
      await db.insert(assetsHostKey).values({
        ...seen,
        org_id: scope.orgId,
        asset: scope.asset ?? null,
        gateway: scope.gateway ?? null,
        host: scope.host,
        port: scope.port,
        key_type: hostKeyType(key),
        public_key: key.toString('base64'),
        fingerprint,
      })
    if (isMoved && state === 'pinned' && scope.asset) await confirmDestination(db, scope.asset, sshDestination(scope))
    return { state, fingerprint, trusted: isFirst ? [fingerprint] : trusted, isMoved }
  })
}

/**
 * Trusts a refused key from now on, instead of those trusted before for that host; of what was
 * moved there, instead of all others. Answers the row as it was; undefined when it is not refused
 * (any more).
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
  const { org_id: orgId, host, port, asset, gateway } = key
  const owner = asset ? eq(assetsHostKey.asset, asset) : eq(assetsHostKey.gateway, gateway ?? '')
  const replaced = key.is_moved
    ? owner
    : sameScope({ orgId, host, port, ...(asset ? { asset } : {}), ...(gateway ? { gateway } : {}) })
  await db.delete(assetsHostKey).where(and(replaced, eq(assetsHostKey.state, 'pinned')))
  await db
    .update(assetsHostKey)
    .set({ state: 'pinned', is_moved: false, accepted_by: acceptedBy, date_accepted: sql`now()` })
    .where(eq(assetsHostKey.id, id))
  return key
}

/** For an asset that is confirmed to be at this address, no key that it showed elsewhere counts. */
export async function forgetOtherHostKeys(db: Database, asset: string, host: string, port: number): Promise<void> {
  await db
    .delete(assetsHostKey)
    .where(and(eq(assetsHostKey.asset, asset), or(ne(assetsHostKey.host, host), ne(assetsHostKey.port, port))))
}

/**
 * The key that a host has shown last, as the next connection will judge it: `refused` until an
 * administrator accepts it; `first` where none is known yet, so that the first one counts.
 */
export async function lastShownKey(
  db: Database,
  scope: HostKeyScope,
): Promise<{ state: 'first' | 'pinned' | 'refused'; fingerprint: string }> {
  const [pinned, [last]] = await Promise.all([
    pinnedHostKeys(db, scope),
    db
      .select({ state: assetsHostKey.state, fingerprint: assetsHostKey.fingerprint })
      .from(assetsHostKey)
      .where(sameScope(scope))
      .orderBy(desc(assetsHostKey.date_last_seen))
      .limit(1),
  ])
  if (last?.state === 'refused') return last
  const [known] = pinned
  return known ? { state: 'pinned', fingerprint: known.fingerprint } : { state: 'first', fingerprint: '' }
}
