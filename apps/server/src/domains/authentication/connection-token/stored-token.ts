import { and, eq, gt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { ANYWHERE } from '../../../kernel/access/limited-key.ts'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isInIpGroup } from '../../acls/index.ts'
import { assetsListedSystemUser } from '../../system-users/index.ts'
import { usersAccount, usersPerson } from '../../users/index.ts'
import { authenticationConnectionToken } from '../tables.ts'
import type { FoundTarget, TargetKind } from './target-kind.ts'
import { TARGET_KINDS } from './target-kinds.ts'

/** The connection that a valid token allows. */
export interface StoredToken {
  token: string
  secret: string
  kind: TargetKind
  target: FoundTarget
  user: { id: string; name: string; username: string; email: string }
  /** For whom a service identity made it. */
  onBehalfOf: string | undefined
  systemUser: { id: string; name: string; protocol: string; ad_domain: string }
  /** `name(username)` of its creator. */
  createdBy: string
  dateCreated: Date
  /** Address that it was made for, where that is known. */
  remoteAddress: string | null
  /** Addresses that the key works from which it was made with. */
  ipGroup: readonly string[]
  /** The person and the creator of the token may both still sign in. */
  isHeld: boolean
}

/**
 * A token's row, with its people, target and system user; undefined when it is unknown or expired,
 * or one of them is gone.
 */
export async function findToken({ db, secrets }: Kernel, token: string): Promise<StoredToken | undefined> {
  const creator = alias(usersAccount, 'creator')
  const stored = authenticationConnectionToken
  const [row] = await db
    .select({
      stored,
      user: { id: usersPerson.id, name: usersPerson.name, username: usersPerson.username, email: usersPerson.email },
      systemUser: {
        id: assetsListedSystemUser.id,
        name: assetsListedSystemUser.name,
        protocol: assetsListedSystemUser.protocol,
        ad_domain: assetsListedSystemUser.ad_domain,
      },
      createdBy: sql<string>`${creator.name} || '(' || ${creator.username} || ')'`,
      isHeld: sql<boolean>`${usersPerson.is_valid} AND (${creator.id} = ${usersPerson.id} OR (${creator.is_valid} AND ${creator.role} = 'Admin'))`,
    })
    .from(stored)
    .innerJoin(usersPerson, eq(usersPerson.id, stored.user_id))
    .innerJoin(creator, eq(creator.id, stored.creator_id))
    .innerJoin(assetsListedSystemUser, eq(assetsListedSystemUser.id, stored.system_user_id))
    .where(and(eq(stored.token_hash, hashKey(token)), gt(stored.date_expired, sql`now()`)))
  if (!row) return undefined
  const { type, target: targetId, secret_sealed, date_created, remote_addr, ip_group } = row.stored
  const kind = TARGET_KINDS[type]
  const target = await kind?.find(db, targetId)
  if (!kind || !target) return undefined
  const { user, systemUser, createdBy, isHeld } = row
  const secret = secrets.open('session', `connection token of ${user.id}`)(secret_sealed)
  return {
    token,
    secret,
    kind,
    target,
    user,
    systemUser,
    createdBy,
    dateCreated: date_created,
    remoteAddress: remote_addr,
    ipGroup: ip_group,
    onBehalfOf: row.stored.on_behalf_of ?? undefined,
    isHeld,
  }
}

/**
 * Whether a client at that address may come in by it.
 * @param address undefined where a component looks it up and does not say from where its client came
 */
export function opensFrom({ remoteAddress, ipGroup }: StoredToken, address: string | undefined): boolean {
  if (address === undefined) return ipGroup.includes(ANYWHERE)
  const isThere = !remoteAddress || sourceNetwork(remoteAddress) === sourceNetwork(address)
  return isThere && isInIpGroup(address, ipGroup)
}
