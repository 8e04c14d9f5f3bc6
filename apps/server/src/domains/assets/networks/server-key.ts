import { and, eq, sql } from 'drizzle-orm'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { assetsServerKey } from '../tables.ts'
import { hostKeyFingerprint } from './host-key.ts'

/** A server that a target leads to. */
export interface ServerKeyScope {
  orgId: string
  /** Id of the target. */
  target: string
  host: string
  port: number
}

export interface SeenServerKey {
  isTrusted: boolean
  fingerprint: string
  trusted: string[]
}

const sameServer = ({ target, host, port }: ServerKeyScope) =>
  and(eq(assetsServerKey.target, target), eq(assetsServerKey.host, host), eq(assetsServerKey.port, port))

/** Whether a server at this address has shown a key: then it must show one again. */
export async function hasServerKey({ db }: Pick<Kernel, 'db'>, scope: ServerKeyScope): Promise<boolean> {
  const pinned = and(sameServer(scope), eq(assetsServerKey.state, 'pinned'))
  return (await db.select({ id: assetsServerKey.id }).from(assetsServerKey).where(pinned)).length > 0
}

/**
 * Compares the public key of a server's certificate with the one pinned for it; the first ever seen
 * is pinned. Any other is recorded as refused, and counts only once an administrator has accepted
 * it. A certificate that is renewed with the same key stays trusted.
 */
export async function checkServerKey(
  kernel: Pick<Kernel, 'db'>,
  scope: ServerKeyScope,
  publicKey: Buffer,
): Promise<SeenServerKey> {
  const fingerprint = hostKeyFingerprint(publicKey)
  return kernel.db.transaction(async (db) => {
    // Two first connections at once must not pin two different keys.
    await lockUntilCommit(db, `assets_server_key ${scope.target} ${scope.host} ${scope.port}`)
    const pinned = await db
      .select({ fingerprint: assetsServerKey.fingerprint })
      .from(assetsServerKey)
      .where(and(sameServer(scope), eq(assetsServerKey.state, 'pinned')))
    const trusted = pinned.length ? pinned.map((one) => one.fingerprint) : [fingerprint]
    const isTrusted = trusted.includes(fingerprint)
    const { orgId: org_id, target, host, port } = scope
    const state = isTrusted ? 'pinned' : 'refused'
    await db
      .insert(assetsServerKey)
      .values({ org_id, target, host, port, fingerprint, state })
      .onConflictDoUpdate({
        target: [assetsServerKey.target, assetsServerKey.host, assetsServerKey.port, assetsServerKey.fingerprint],
        set: { state, date_last_seen: sql`now()` },
      })
    return { isTrusted, fingerprint, trusted }
  })
}
