import { and, eq } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Credentials, SealedLogin } from '../../kernel/secrets/login.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { candidateOf } from '../../kernel/secrets/versions.ts'
import { loadMachine, type TargetAsset, type TargetPlatform } from '../assets/index.ts'
import { confirmedWays, loadAssetPlace, type Place, type TargetGateway, waysTo } from '../assets/networks/index.ts'
import type { FetchingKernel } from '../assets/secret-sources/index.ts'
import { type AccountTable, chosenLogins } from './accounts/chosen-account.ts'
import { type HeldLogin, loginOf } from './held-login.ts'
import { assetsAccount, assetsSystemUser } from './tables.ts'
import { takeTemporaryAuth } from './temporary-auth.ts'

type StoredSystemUser = typeof assetsSystemUser.$inferSelect
export type TargetSystemUser = Omit<StoredSystemUser, 'password_sealed' | 'private_key_sealed' | 'token_sealed'>

export interface AssetTarget {
  asset: TargetAsset
  platform: TargetPlatform
  systemUser: TargetSystemUser
  /** What to log in with; in manual mode what the person typed, else empty. */
  credentials: Credentials
  /**
   * The account of the first login, where the system user is reached by a switch: `su` gets the
   * credentials above.
   */
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
  userId?: string | undefined
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
 * when asset or system user is gone, or they belong to different organizations. Throws 400 when the
 * asset was moved and nobody has confirmed where it is now (destination.ts).
 */
export async function loadAssetTarget(
  kernel: FetchingKernel,
  { assetId, systemUserId, userId, username, checksHostKey = false }: AssetTargetQuestion,
  open: Opener,
): Promise<AssetTarget | undefined> {
  const [machine, [row]] = await Promise.all([
    loadMachine(kernel.db, assetId),
    kernel.db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, systemUserId)),
  ])
  if (!machine || row?.org_id !== machine.asset.org_id) return undefined
  const { asset, platform } = machine
  const gateways = await waysTo(kernel.db, asset, { protocol: row.protocol, checksHostKey }, open)
  const person = { ...(userId ? { userId } : {}), ...(username ? { username } : {}) }
  const credentials = await credentialsOf(kernel, row, { assetId, ...person }, open)
  const source = await switchSource(kernel, row)
  const switchFrom = source && (await credentialsOf(kernel, source, { assetId, ...person }, open))
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row
  return { asset, platform, systemUser, credentials, ...(switchFrom ? { switchFrom } : {}), gateways }
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

/** An account's own login, whichever account would be chosen for a session, and the way to its asset. */
export type AccountTarget = Pick<AssetTarget, 'asset' | 'credentials' | 'gateways'>

/**
 * The target for a trial of an account over SSH, by `throughGateways` alone. Secrets that it lacks
 * are its system user's. Undefined when it is gone.
 */
export async function loadAccountTarget(
  kernel: FetchingKernel,
  accountId: string,
  open: Opener,
): Promise<AccountTarget | undefined> {
  const [row] = await kernel.db
    .select({ account: assetsAccount, user: assetsSystemUser })
    .from(assetsAccount)
    .leftJoin(assetsSystemUser, eq(assetsSystemUser.id, assetsAccount.systemuser))
    .where(eq(assetsAccount.id, accountId))
  const place = row && (await loadAssetPlace(kernel, row.account.asset, open))
  if (!place) return undefined
  const { account, user } = row
  const isOwn = account.password_sealed || account.private_key_sealed || account.secret_source || !user
  const username = account.username || (user?.username ?? '')
  if (!isOwn && user.by_certificate) return { ...place, credentials: certified(user.org_id, username) }
  const candidate = await candidateOf(kernel.db, { kind: 'asset_account', table: assetsAccount, id: accountId })
  const holding = { orgId: account.org_id, protocol: user?.protocol, candidate }
  const login = await loginOf(kernel, isOwn ? account : user, holding, open)
  return { ...place, credentials: { username, ...login } }
}

/**
 * The secrets of a system user on one asset: in manual mode what the person typed; a certificate where
 * it has them; else those of the account that goes before it, else the system user's own.
 */
async function credentialsOf(
  kernel: FetchingKernel,
  systemUser: StoredSystemUser,
  { assetId, userId, username }: { assetId: string; userId?: string; username?: string },
  open: Opener,
): Promise<Credentials> {
  if (systemUser.login_mode === 'manual') return typedLogin(kernel, systemUser, { target: assetId, userId }, open)
  const name = ownName(systemUser, username)
  if (systemUser.by_certificate) return certified(systemUser.org_id, name)
  const question = { targetId: assetId, systemUserId: systemUser.id, username: name }
  const { account, candidate } = await chosenLogins(kernel.db, ACCOUNTS, question)
  const { org_id: orgId, protocol } = systemUser
  return { username: name, ...(await loginOf(kernel, account ?? systemUser, { orgId, protocol, candidate }, open)) }
}

/** No stored secret is used, nor one of an account: a machine that does not trust the authority lets nobody in. */
const certified = (orgId: string, username: string): Credentials => ({
  username,
  password: '',
  privateKey: '',
  certificate: { orgId, notes: {} },
})

const ACCOUNTS: AccountTable = { kind: 'asset_account', table: assetsAccount, target: assetsAccount.asset }

const ownName = (systemUser: StoredSystemUser, username: string | undefined) =>
  systemUser.username_same_with_user ? (username ?? '') : systemUser.username

/**
 * The login that the person typed for this target, which is used up; else nothing but the user
 * name.
 */
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

/** The person who logs in to a target of another family, and its address. */
export interface LoginQuestion {
  target: string
  orgId: string
  systemUserId: string
  userId?: string | undefined
  username?: string | undefined
  /** Undefined where nothing is connected to by itself. */
  place: Place | undefined
  /** The account whose secrets are used instead of the system user's own, by its user name. */
  accountOf(username: string): Promise<HeldLogin | undefined>
  /** The secrets that the account is about to get; undefined while nobody changes them. */
  candidateOf(username: string): Promise<SealedLogin | undefined>
}

/** A system user's login, and the gateways to where it is sent. */
export interface Login {
  systemUser: TargetSystemUser
  credentials: Credentials
  gateways: TargetGateway[]
}

/**
 * Opens the secrets with which a system user logs in to a target of its organization, for families
 * other than assets. A login typed for the target is used up. Undefined when there is no such
 * system user. Throws 400 when the target was moved and nobody has confirmed where it is now.
 */
export async function loadLogin(
  kernel: FetchingKernel,
  { target, orgId, systemUserId, userId, username, place, accountOf, candidateOf: secretsToCome }: LoginQuestion,
  open: Opener,
): Promise<Login | undefined> {
  const [row] = await kernel.db
    .select()
    .from(assetsSystemUser)
    .where(and(eq(assetsSystemUser.id, systemUserId), eq(assetsSystemUser.org_id, orgId)))
  if (!row) return undefined
  const gateways = place ? await confirmedWays(kernel.db, place, open) : []
  const { password_sealed, private_key_sealed, token_sealed, ...systemUser } = row
  const name = ownName(row, username)
  const stored = async () => {
    const held = (await accountOf(name)) ?? row
    return loginOf(kernel, held, { orgId, protocol: row.protocol, candidate: await secretsToCome(name) }, open)
  }
  const credentials =
    row.login_mode === 'manual'
      ? await typedLogin(kernel, row, { target, userId }, open)
      : {
          username: name,
          ...(token_sealed ? { token: open(token_sealed) } : {}),
          ...(await stored()),
        }
  return { systemUser, credentials, gateways }
}
