import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import {
  type AccountTable,
  type Credentials,
  candidateLogin,
  chosenAccount,
  chosenCandidate,
  openLogin,
  type SealedLogin,
  withCandidate,
} from './accounts/chosen-account.ts'
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
  /** Who logs in first, where the system user is switched to from another one: `su` gets the credentials above. */
  switchFrom?: Credentials
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
  const source = await switchSource(kernel, row.systemUser)
  const switchFrom = source && (await credentialsOf(kernel, source, { assetId, ...person }, open))
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row.systemUser
  return {
    asset: row.asset,
    platform: row.platform,
    systemUser,
    credentials,
    ...(switchFrom ? { switchFrom } : {}),
    gateways: ways.map((gateway) => toTargetGateway(gateway, open)),
  }
}

async function switchSource(
  { db }: Pick<Kernel, 'db'>,
  { su_enabled, su_from, org_id }: StoredSystemUser,
): Promise<StoredSystemUser | undefined> {
  if (!su_enabled || !su_from) return undefined
  const [source] = await db
    .select()
    .from(assetsSystemUser)
    .where(and(eq(assetsSystemUser.id, su_from), eq(assetsSystemUser.org_id, org_id)))
  return source
}

/** Where an asset is, for a login that the caller brings, over SSH by `throughGateways` alone. Undefined when it is gone. */
export async function loadAssetPlace(
  kernel: Pick<Kernel, 'db'>,
  assetId: string,
  open: Opener,
): Promise<Pick<AssetTarget, 'asset' | 'gateways'> | undefined> {
  const [asset] = await kernel.db.select().from(assetsAsset).where(eq(assetsAsset.id, assetId))
  if (!asset) return undefined
  const ways = await waysTo(kernel, asset, 'ssh', true)
  return { asset, gateways: ways.map((gateway) => toTargetGateway(gateway, open)) }
}

/** An account's own login, whichever account would be chosen for a session, and the way to its asset. */
export type AccountTarget = Pick<AssetTarget, 'asset' | 'credentials' | 'gateways'>

/**
 * What is needed to try an account over SSH, by `throughGateways` alone. Secrets that it has not are
 * its system user's. Undefined when it is gone.
 */
export async function loadAccountTarget(
  kernel: Pick<Kernel, 'db'>,
  accountId: string,
  open: Opener,
): Promise<AccountTarget | undefined> {
  const [row] = await kernel.db
    .select({ account: assetsAccount, asset: assetsAsset, user: assetsSystemUser })
    .from(assetsAccount)
    .innerJoin(assetsAsset, eq(assetsAsset.id, assetsAccount.asset))
    .leftJoin(assetsSystemUser, eq(assetsSystemUser.id, assetsAccount.systemuser))
    .where(eq(assetsAccount.id, accountId))
  if (!row) return undefined
  const { account, asset, user } = row
  const ways = await waysTo(kernel, asset, 'ssh', true)
  const isOwn = account.password_sealed || account.private_key_sealed || !user
  const candidate = await candidateLogin(
    kernel.db,
    { kind: 'asset_account', table: assetsAccount, id: accountId },
    open,
  )
  const login = withCandidate(openLogin(isOwn ? account : user, open), candidate)
  return {
    asset,
    credentials: { username: account.username || (user?.username ?? ''), ...login },
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
 * the account that goes before it, else the system user's own.
 */
async function credentialsOf(
  kernel: Pick<Kernel, 'db'>,
  systemUser: StoredSystemUser,
  { assetId, userId, username }: { assetId: string; userId?: string; username?: string },
  open: Opener,
): Promise<Credentials> {
  if (systemUser.login_mode === 'manual') return typedLogin(kernel, systemUser, { target: assetId, userId }, open)
  const name = ownName(systemUser, username)
  const question = { targetId: assetId, systemUserId: systemUser.id, username: name }
  const account = await chosenAccount(kernel.db, ACCOUNTS, question)
  const candidate = await chosenCandidate(kernel.db, ACCOUNTS, question)
  const login = openLogin(account ?? systemUser, open)
  return { username: name, ...withCandidate(login, candidate && openLogin(candidate, open)) }
}

const ACCOUNTS: AccountTable = { kind: 'asset_account', table: assetsAccount, target: assetsAccount.asset }

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

/** Who logs in to a target of another family, and where it is. */
export interface LoginQuestion {
  target: string
  orgId: string
  systemUserId: string
  userId?: string | undefined
  username?: string | undefined
  /** Undefined where nothing is connected to by itself. */
  place: Place | undefined
  /** The account whose secrets are used instead of the system user's own, by its user name. */
  accountOf(username: string): Promise<SealedLogin | undefined>
  /** What the account's secrets are about to become; undefined while nobody changes them. */
  candidateOf(username: string): Promise<SealedLogin | undefined>
}

/** A system user's login, and the gateways to where it is sent. */
export interface Login {
  systemUser: TargetSystemUser
  credentials: Credentials
  gateways: TargetGateway[]
}

/**
 * Opens the secrets with which a system user logs in to a target of its organisation, for families
 * other than assets. A login typed for the target is used up. Undefined when there is no such
 * system user. Throws 400 when the target was moved and nobody has confirmed where it is now.
 */
export async function loadLogin(
  kernel: Pick<Kernel, 'db'>,
  { target, orgId, systemUserId, userId, username, place, accountOf, candidateOf }: LoginQuestion,
  open: Opener,
): Promise<Login | undefined> {
  const [row] = await kernel.db
    .select()
    .from(assetsSystemUser)
    .where(and(eq(assetsSystemUser.id, systemUserId), eq(assetsSystemUser.org_id, orgId)))
  if (!row) return undefined
  const ways = place ? await confirmedWays(kernel.db, place) : []
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row
  const name = ownName(row, username)
  const stored = async () => {
    const login = openLogin((await accountOf(name)) ?? row, open)
    const candidate = await candidateOf(name)
    return withCandidate(login, candidate && openLogin(candidate, open))
  }
  const credentials =
    row.login_mode === 'manual'
      ? await typedLogin(kernel, row, { target, userId }, open)
      : {
          username: name,
          ...(await stored()),
          ...(token_sealed ? { token: open(token_sealed) } : {}),
        }
  return { systemUser, credentials, gateways: ways.map((gateway) => toTargetGateway(gateway, open)) }
}

type Gateway = typeof assetsGateway.$inferSelect

/**
 * Active SSH gateways of a domain in random order, with those marked unreachable last
 * (docs/rules/assets.md#domain).
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
    ...openLogin(gateway, open),
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
