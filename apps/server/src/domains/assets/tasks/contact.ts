import { and, eq, inArray, sql } from 'drizzle-orm'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import type { TaskLog } from '../../ops/index.ts'
import { sshFailureText, throughGateways } from '../ssh.ts'
import { assetsAccount, assetsAsset, assetsPlatform, assetsSystemUser } from '../tables.ts'
import { type AssetTarget, type Credentials, loadAssetTarget } from '../target.ts'
import { gatherFacts, type Run } from './facts.ts'
import { runCommand } from './ssh-command.ts'

type Asset = typeof assetsAsset.$inferSelect

/** Limits of contract/assets.yaml flow "connectivity test of assets". */
const TIMEOUT_MS = 10_000
const PARALLEL = 10

/**
 * Whether an asset can be contacted: it must be active and have SSH, and its platform must not be
 * of base Other.
 */
export function isContactable({
  is_active,
  protocols,
  platform,
}: Pick<Asset, 'is_active' | 'protocols' | 'platform'>): boolean {
  return is_active && platform !== 'Other' && protocols.some((protocol) => protocol.startsWith('ssh/'))
}

/** Logs in to each asset as its privileged system user, and stores whether that worked. */
export function testConnectivity(
  kernel: Kernel,
  assetIds: readonly string[],
  log: TaskLog,
): Promise<Record<string, unknown>> {
  return contactAll(kernel, assetIds, log, async (asset) => {
    const failure = await contact(kernel, asset, asset.admin_user, log, async (target, run) => {
      await run('true')
      await log(`${title(asset)} | ${target.credentials.username} | SUCCESS`)
    })
    const state = { connectivity: failure ? 'failed' : 'ok', date_verified: sql`now()` as unknown as Date }
    await kernel.db.update(assetsAsset).set(state).where(eq(assetsAsset.id, asset.id))
    // Stored for the accounts of these system users as well (contract/assets.yaml flow
    // "connectivity test of assets").
    await kernel.db
      .update(assetsAccount)
      .set(state)
      .where(
        and(
          eq(assetsAccount.asset, asset.id),
          inArray(
            assetsAccount.systemuser,
            kernel.db
              .select({ id: assetsSystemUser.id })
              .from(assetsSystemUser)
              .where(eq(assetsSystemUser.type, 'admin')),
          ),
        ),
      )
    return !failure
  })
}

/**
 * Reads hardware and system of assets, as their privileged system user. Values that could not be
 * read stay as they are.
 */
export function refreshHardware(
  kernel: Kernel,
  assetIds: readonly string[],
  log: TaskLog,
): Promise<Record<string, unknown>> {
  return contactAll(kernel, assetIds, log, async (asset) => {
    const failure = await contact(kernel, asset, asset.admin_user, log, async (_target, run) => {
      const facts = await gatherFacts(run)
      if (Object.keys(facts).length) await kernel.db.update(assetsAsset).set(facts).where(eq(assetsAsset.id, asset.id))
      await log(`${title(asset)} | SUCCESS`)
      for (const [name, value] of Object.entries(facts)) await log(`    ${name}: ${value}`)
    })
    return !failure
  })
}

/**
 * Logs in to each asset as each system user; the result is stored with the account, not the asset.
 */
export async function testSystemUser(
  kernel: Kernel,
  assetIds: readonly string[],
  systemUserIds: readonly string[],
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const users = await kernel.db
    .select()
    .from(assetsSystemUser)
    .where(inArray(assetsSystemUser.id, [...systemUserIds]))
  const summary = { success: 0, failed: 0, skipped: 0 }
  for (const user of users) {
    // There is no name to log in with, or nobody to ask for the password.
    if (user.username_same_with_user || user.login_mode === 'manual' || user.protocol !== 'ssh') {
      await log(`${user.name}(${user.username_same_with_user ? '*' : user.username}) | SKIPPED`)
      summary.skipped++
      continue
    }
    const result = await contactAll(kernel, assetIds, log, async (asset) => {
      const failure = await contact(kernel, asset, user.id, log, async (target, run) => {
        await run('true')
        await log(`${title(asset)} | ${target.credentials.username} | SUCCESS`)
      })
      await kernel.db
        .update(assetsAccount)
        .set({ connectivity: failure ? 'failed' : 'ok', date_verified: sql`now()` as unknown as Date })
        .where(and(eq(assetsAccount.asset, asset.id), eq(assetsAccount.systemuser, user.id)))
      return !failure
    })
    summary.success += Number(result.success)
    summary.failed += Number(result.failed)
    summary.skipped += Number(result.skipped)
  }
  return summary
}

const title = ({ hostname, ip }: Pick<Asset, 'hostname' | 'ip'>) => `${hostname}(${ip})`

/**
 * Contacts assets, several at a time, and counts results. Assets that can't be contacted are
 * skipped silently.
 */
async function contactAll(
  kernel: Kernel,
  assetIds: readonly string[],
  log: TaskLog,
  work: (asset: Asset) => Promise<boolean>,
): Promise<Record<string, unknown>> {
  const rows = assetIds.length
    ? await kernel.db
        .select({ asset: assetsAsset })
        .from(assetsAsset)
        .innerJoin(assetsPlatform, eq(assetsPlatform.name, assetsAsset.platform))
        .where(and(inArray(assetsAsset.id, [...assetIds]), sql`${assetsPlatform.base} <> 'Other'`))
        .orderBy(assetsAsset.hostname)
    : []
  const queue = rows.map((row) => row.asset).filter(isContactable)
  const summary = { success: 0, failed: 0, skipped: assetIds.length - queue.length }
  const worker = async () => {
    for (let asset = queue.shift(); asset; asset = queue.shift()) {
      if (await work(asset)) summary.success++
      else summary.failed++
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  await log(`ok=${summary.success} failed=${summary.failed} skipped=${summary.skipped}`)
  return summary
}

/**
 * Logs in, does the work and disconnects. Answers what went wrong, which is logged too; undefined
 * when nothing did.
 */
async function contact(
  kernel: Kernel,
  asset: Asset,
  systemUserId: string | null,
  log: TaskLog,
  work: (target: AssetTarget, run: Run) => Promise<void>,
): Promise<string | undefined> {
  const failed = async (text: string) => {
    await log(`${title(asset)} | FAILED | ${text}`)
    return text
  }
  if (!systemUserId) return failed('The asset has no admin user')
  const open = kernel.secrets.open('job', `asset ${asset.id}`)
  const target = await loadAssetTarget(kernel, { assetId: asset.id, systemUserId, checksHostKey: true }, open).catch(
    (error) => {
      if (error instanceof AppError) return error
      throw error
    },
  )
  if (target instanceof AppError) return failed(target.message)
  if (!target) return failed('The asset has no admin user')
  if (!hasSecret(target.credentials)) return failed('The system user has no password or key')
  try {
    const { ip: host, org_id: orgId, id, domain } = target.asset
    const connection = await throughGateways(
      kernel,
      target.gateways,
      { ...target.credentials, host, port: sshPort(target.asset), scope: { orgId, asset: id, domain } },
      { timeoutMs: TIMEOUT_MS },
    )
    try {
      await work(target, (command) => runCommand(connection.client, command, TIMEOUT_MS))
    } finally {
      connection.close()
    }
    return undefined
  } catch (error) {
    if (error instanceof SshError && error.hostKey)
      await log(`${title(asset)} | ${error.hostKey.fingerprint} ≠ ${error.hostKey.trusted.join(', ')}`)
    return failed(sshFailureText(error))
  }
}

const hasSecret = ({ password, privateKey }: Credentials) => Boolean(password || privateKey)

const sshPort = ({ protocols }: Pick<Asset, 'protocols'>): number =>
  Number(protocols.find((protocol) => protocol.startsWith('ssh/'))?.split('/')[1] ?? 22)
