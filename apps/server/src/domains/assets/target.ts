import { and, desc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { isConfirmed, unconfirmedDestination } from './destination.ts'
import {
  assetsAccount,
  assetsAsset,
  assetsDomain,
  assetsGateway,
  assetsPlatform,
  assetsSystemUser,
  type Destination,
} from './tables.ts'
import { takeTemporaryAuth } from './temporary-auth.ts'

/** What a login is proven with; empty text where there is none. Kept in memory only. */
export interface Credentials {
  username: string
  password: string
  privateKey: string
  /** Of system users of clusters. */
  token?: string
}

export interface TargetGateway extends Credentials {
  id: string
  orgId: string
  name: string
  host: string
  port: number
}

export type TargetAsset = Pick<
  typeof assetsAsset.$inferSelect,
  'id' | 'org_id' | 'hostname' | 'ip' | 'protocols' | 'is_active' | 'domain' | 'admin_user'
>
export type TargetPlatform = Pick<typeof assetsPlatform.$inferSelect, 'name' | 'base' | 'charset' | 'meta'>
type StoredSystemUser = typeof assetsSystemUser.$inferSelect
export type TargetSystemUser = Omit<StoredSystemUser, 'password_sealed' | 'private_key_sealed' | 'token_sealed'>

export interface AssetTarget {
  asset: TargetAsset
  platform: TargetPlatform
  systemUser: TargetSystemUser
  /** What to log in with; in manual mode what the person typed, else empty. */
  credentials: Credentials
  /** Gateways to the asset in the order to try them; empty when it is reached directly. */
  gateways: TargetGateway[]
}

export interface AssetTargetQuestion {
  assetId: string
  systemUserId: string
  /**
   * The person whose session it is: dynamic user names and typed logins are theirs. Undefined for
   * jobs.
   */
  userId?: string
  /** The person's own user name, for system users that take it. */
  username?: string
  /**
   * The caller connects over SSH by `throughGateways` alone, which sends nothing to an asset that
   * was moved unless it shows a host key that is trusted.
   */
  checksHostKey?: boolean
}

/**
 * Everything that a connection needs, with secrets opened in memory by the caller's opener. Does
 * not check whether the person may connect. A login typed for this target is used up. Undefined
 * when asset or system user is gone, or they belong to different organisations. Throws 400 when the
 * asset was moved and nobody has confirmed where it is now (destination.ts).
 */
export async function loadAssetTarget(
  kernel: Pick<Kernel, 'db'>,
  { assetId, systemUserId, userId, username, checksHostKey = false }: AssetTargetQuestion,
  open: Opener,
): Promise<AssetTarget | undefined> {
  const [row] = await kernel.db
    .select({ asset: assetsAsset, platform: assetsPlatform, systemUser: assetsSystemUser })
    .from(assetsAsset)
    .innerJoin(assetsPlatform, eq(assetsPlatform.name, assetsAsset.platform))
    .innerJoin(assetsSystemUser, eq(assetsSystemUser.org_id, assetsAsset.org_id))
    .where(and(eq(assetsAsset.id, assetId), eq(assetsSystemUser.id, systemUserId)))
  if (!row) return undefined
  const ways = await waysTo(kernel, row.asset, row.systemUser.protocol, checksHostKey)
  const person = { ...(userId ? { userId } : {}), ...(username ? { username } : {}) }
  const credentials = await credentialsOf(kernel, row.systemUser, { assetId, ...person }, open)
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row.systemUser
  return {
    asset: row.asset,
    platform: row.platform,
    systemUser,
    credentials,
    gateways: ways.map((gateway) => toTargetGateway(gateway, open)),
  }
}

/**
 * The gateways by which an asset's secrets may be sent to it, in the order to try them; empty when
 * it is reached directly. Throws 400 when there is no such way.
 */
async function waysTo(
  { db }: Pick<Kernel, 'db'>,
  asset: typeof assetsAsset.$inferSelect,
  protocolName: string,
  checksHostKey: boolean,
): Promise<Gateway[]> {
  const { ip: address, domain, confirmed_destinations } = asset
  const protocol = asset.protocols.find((entry) => entry.startsWith(`${protocolName}/`))
  if (protocolName !== 'ssh') return confirmedWays(db, { protocol, address, domain, confirmed_destinations })
  if (!checksHostKey && !isConfirmed(asset, { protocol, address, domain, gateway: null }))
    throw unconfirmedDestination()
  return gatewaysOf(db, domain)
}

/** Where something is, and where its secrets may be sent. */
interface Place {
  protocol: string | undefined
  address: string
  domain: string | null
  confirmed_destinations: Destination[]
}

/**
 * The gateways of a network by which secrets may be sent to a machine that proves nothing by a host
 * key: whoever has the gateway reads along, so each is confirmed by itself. Throws 400 when there is
 * no such way.
 */
async function confirmedWays(
  db: Database,
  { protocol, address, domain, confirmed_destinations }: Place,
): Promise<Gateway[]> {
  const gateways = await gatewaysOf(db, domain)
  const mayPass = (gateway: string | null) =>
    isConfirmed({ confirmed_destinations }, { protocol, address, domain, gateway })
  const ways = gateways.filter(({ ip, port }) => mayPass(`${ip}:${port}`))
  if (!(gateways.length ? ways.length : mayPass(null))) throw unconfirmedDestination()
  return ways
}

/**
 * The secrets of a system user on one asset: in manual mode what the person typed; else those of
 * the newest account of that user name on the asset, else of the account linked to this system
 * user, else the system user's own (contract/accounts.yaml asset_account, lookup order).
 */
async function credentialsOf(
  kernel: Pick<Kernel, 'db'>,
  systemUser: StoredSystemUser,
  { assetId, userId, username }: { assetId: string; userId?: string; username?: string },
  open: Opener,
): Promise<Credentials> {
  if (systemUser.login_mode === 'manual') return typedLogin(kernel, systemUser, { target: assetId, userId }, open)
  const name = ownName(systemUser, username)
  const [account] = await kernel.db
    .select()
    .from(assetsAccount)
    .where(
      and(
        eq(assetsAccount.asset, assetId),
        or(
          and(isNull(assetsAccount.systemuser), eq(assetsAccount.username, name)),
          eq(assetsAccount.systemuser, systemUser.id),
        ),
        // A linked account without secrets inherits the system user's.
        or(isNotNull(assetsAccount.password_sealed), isNotNull(assetsAccount.private_key_sealed)),
      ),
    )
    .orderBy(sql`${assetsAccount.systemuser} IS NOT NULL`, desc(assetsAccount.date_updated))
    .limit(1)
  return { username: name, ...openSecrets(account ?? systemUser, open) }
}

const ownName = (systemUser: StoredSystemUser, username: string | undefined) =>
  systemUser.username_same_with_user ? (username ?? '') : systemUser.username

/** What the person typed for this target, which is used up; else nothing but the user name. */
async function typedLogin(
  kernel: Pick<Kernel, 'db'>,
  systemUser: StoredSystemUser,
  { target, userId }: { target: string; userId: string | undefined },
  open: Opener,
): Promise<Credentials> {
  const typed = userId
    ? await takeTemporaryAuth(kernel, { userId, systemUserId: systemUser.id, target }, open)
    : undefined
  return { username: typed?.username || systemUser.username, password: typed?.password ?? '', privateKey: '' }
}

/** Who logs in to a target that keeps no accounts with secrets of their own, and where it is. */
export interface LoginQuestion {
  target: string
  orgId: string
  systemUserId: string
  userId?: string | undefined
  username?: string | undefined
  /** Undefined where nothing is connected to by itself. */
  place: Place | undefined
}

/** A system user's login, and the gateways to where it is sent. */
export interface Login {
  systemUser: TargetSystemUser
  credentials: Credentials
  gateways: TargetGateway[]
}

/**
 * Opens a system user's own secrets for a target of its organisation, for families whose accounts
 * inherit them. A login typed for the target is used up. Undefined when there is no such system
 * user. Throws 400 when the target was moved and nobody has confirmed where it is now.
 */
export async function loadLogin(
  kernel: Pick<Kernel, 'db'>,
  { target, orgId, systemUserId, userId, username, place }: LoginQuestion,
  open: Opener,
): Promise<Login | undefined> {
  const [row] = await kernel.db
    .select()
    .from(assetsSystemUser)
    .where(and(eq(assetsSystemUser.id, systemUserId), eq(assetsSystemUser.org_id, orgId)))
  if (!row) return undefined
  const ways = place ? await confirmedWays(kernel.db, place) : []
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row
  const credentials =
    row.login_mode === 'manual'
      ? await typedLogin(kernel, row, { target, userId }, open)
      : {
          username: ownName(row, username),
          ...openSecrets(row, open),
          ...(token_sealed ? { token: open(token_sealed) } : {}),
        }
  return { systemUser, credentials, gateways: ways.map((gateway) => toTargetGateway(gateway, open)) }
}

function openSecrets(
  row: { password_sealed: Buffer | null; private_key_sealed: Buffer | null },
  open: Opener,
): Omit<Credentials, 'username'> {
  return {
    password: row.password_sealed ? open(row.password_sealed) : '',
    privateKey: row.private_key_sealed ? open(row.private_key_sealed) : '',
  }
}

type Gateway = typeof assetsGateway.$inferSelect

/**
 * Active SSH gateways of a domain in random order, with those marked unreachable last
 * (contract/assets.yaml domain rules).
 */
async function gatewaysOf(db: Database, domainId: string | null): Promise<Gateway[]> {
  if (!domainId) return []
  const rows = await db
    .select({ gateway: assetsGateway })
    .from(assetsGateway)
    .innerJoin(assetsDomain, eq(assetsDomain.id, assetsGateway.domain))
    .where(
      and(eq(assetsGateway.domain, domainId), eq(assetsGateway.is_active, true), eq(assetsGateway.protocol, 'ssh')),
    )
    .orderBy(sql`coalesce(${assetsGateway.unreachable_until} > now(), false)`, sql`random()`)
  return rows.map(({ gateway }) => gateway)
}

/** The gateways of a domain in the order to try them, their secrets opened; none without a domain. */
export async function gatewaysInto(db: Database, domainId: string | null, open: Opener): Promise<TargetGateway[]> {
  return (await gatewaysOf(db, domainId)).map((gateway) => toTargetGateway(gateway, open))
}

/** A gateway with its secrets opened. */
export function toTargetGateway(gateway: Gateway, open: Opener): TargetGateway {
  return {
    id: gateway.id,
    orgId: gateway.org_id,
    name: gateway.name,
    host: gateway.ip,
    port: gateway.port,
    username: gateway.username,
    ...openSecrets(gateway, open),
  }
}

/** For how long a gateway that failed is tried last; doubled by each further failure. */
const SILENT_SECONDS = 300
const MAX_SILENT_SECONDS = 86_400

/**
 * Stores whether a gateway could be reached: one that failed is tried last for a while, one that
 * worked counts as reachable at once.
 */
export async function noteGatewayHealth(
  { db }: Pick<Kernel, 'db'>,
  gatewayId: string,
  reachable: boolean,
): Promise<void> {
  const next = sql`least(CASE WHEN ${assetsGateway.silent_seconds} = 0 THEN ${SILENT_SECONDS} ELSE ${assetsGateway.silent_seconds} * 2 END, ${MAX_SILENT_SECONDS})`
  await db
    .update(assetsGateway)
    .set(
      reachable
        ? { unreachable_until: null, silent_seconds: 0, date_updated: sql`date_updated` }
        : {
            unreachable_until: sql`now() + make_interval(secs => ${next})`,
            silent_seconds: next,
            date_updated: sql`date_updated`,
          },
    )
    .where(and(eq(assetsGateway.id, gatewayId), reachable ? isNotNull(assetsGateway.unreachable_until) : undefined))
}
