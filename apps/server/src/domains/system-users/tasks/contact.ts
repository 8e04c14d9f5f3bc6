import type { StepResult, TaskStep } from '@sallyport/contract/resources/ops/adhoc.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { pause } from '../../../kernel/pause.ts'
import { assetsListedAsset, assetsListedPlatform, storeConnectivity, storeFacts } from '../../assets/index.ts'
import type { RunHost, RunSummary, TaskLog, TaskRun } from '../../ops/index.ts'
import { type Host, HostError, type HostLogin, openHost } from '../hosts/open-host.ts'
import { assetsAccount, assetsSystemUser } from '../tables.ts'
import { gatherFacts } from './facts.ts'
import { gatherWindowsFacts } from './windows-facts.ts'

/** The known facts of an asset before it is contacted. */
type Asset = Pick<typeof assetsListedAsset.$inferSelect, 'hostname' | 'ip' | 'is_active' | 'protocols' | 'platform'>

/** Limit of docs/rules/assets.md#connectivity. */
const TIMEOUT_MS = 10_000
/**
 * Pauses before each further try at a machine that refused the connection, as one does that
 * restarts or is full. A machine that never answered had its time already.
 */
const RETRY_PAUSES_MS = [300, 700]

/** Steps as pages print them. */
export const PING: TaskStep = { name: 'ping', action: { module: 'ping', args: '' } }
export const SETUP: TaskStep = { name: 'setup', action: { module: 'setup', args: '' } }

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

/** A machine of a run, and what runs there: Linux, Windows, … */
export type ContactableHost = RunHost & { base: string }

/** Assets as hosts of a run, those alone that can be contacted: others are passed over silently. */
export async function contactableHosts(db: Database, ids: readonly string[]): Promise<ContactableHost[]> {
  if (!ids.length) return []
  const { id, hostname, ip, is_active, protocols, platform } = assetsListedAsset
  const { name, base } = assetsListedPlatform
  const rows = await db
    .select({ id, hostname, ip, is_active, protocols, platform, base })
    .from(assetsListedAsset)
    .innerJoin(assetsListedPlatform, eq(name, platform))
    .where(and(inArray(id, [...ids]), sql`${base} <> 'Other'`))
    .orderBy(hostname)
  return rows.filter(isContactable).map((row) => ({ id: row.id, name: title(row), base: row.base }))
}

/** Logs in to each asset as its privileged system user, and stores whether that worked. */
export async function testConnectivity(kernel: Kernel, run: TaskRun): Promise<RunSummary> {
  return run.each(await contactableHosts(kernel.db, run.hosts), async (host) => {
    const ping = await contact(kernel, host, 'admin_user', run, async (machine) => {
      await run.log(successOf(host, machine))
    })
    const connectivity = stateOf(ping)
    await storeConnectivity(kernel.db, host.id, connectivity)
    // Stored for the accounts of these system users as well (docs/rules/assets.md#connectivity).
    await kernel.db
      .update(assetsAccount)
      .set({ connectivity, date_verified: sql`now()` as unknown as Date })
      .where(
        and(
          eq(assetsAccount.asset, host.id),
          inArray(
            assetsAccount.systemuser,
            kernel.db
              .select({ id: assetsSystemUser.id })
              .from(assetsSystemUser)
              .where(eq(assetsSystemUser.type, 'admin')),
          ),
        ),
      )
    return { ping }
  })
}

/** For the log: where a certificate let it in, the version of the authority as well, and whether a push is due. */
export function successOf({ name }: RunHost, { username, certifiedBy }: Host): string {
  const line = `${name} | ${username} | SUCCESS`
  if (!certifiedBy) return line
  const { version, isCurrent } = certifiedBy
  return `${line} | authority v${version}${isCurrent ? '' : ' | the machine does not trust the current version yet: push the system user'}`
}

export const stateOf = ({ ok }: StepResult) => (ok ? ('ok' as const) : ('failed' as const))

/**
 * Reads hardware and system of assets, as their privileged system user. Values that could not be
 * read stay as they are.
 */
export async function refreshHardware(kernel: Kernel, run: TaskRun): Promise<RunSummary> {
  return run.each(await contactableHosts(kernel.db, run.hosts), async (host) => ({
    setup: await contact(kernel, host, 'admin_user', run, async (machine) => {
      const limit = { timeoutMs: TIMEOUT_MS }
      const facts =
        host.base === 'Windows'
          ? await gatherWindowsFacts(async (script) => {
              const { stdout, stderr } = await machine.runPowerShell(script, limit)
              // The name of the machine is said wherever the script runs; nothing is of none that ran.
              if (!/^@@/m.test(stdout))
                throw new HostError(stderr.trim().slice(0, 1000) || 'The machine ran no PowerShell')
              return stdout
            })
          : await gatherFacts(async (script) => (await machine.run(script, limit)).stdout)
      await storeFacts(kernel.db, host.id, facts)
      const words = Object.entries(facts).map(([name, value]) => `    ${name}: ${value}`)
      await run.log([`${host.name} | SUCCESS`, ...words].join('\n'))
    }),
  }))
}

/**
 * Logs in to each asset as each system user of the run; the result is stored with the account, not
 * the asset.
 */
export async function testSystemUsers(kernel: Kernel, run: TaskRun): Promise<RunSummary> {
  const { db } = kernel
  const wanted = run.data.systemUsers as string[]
  const users = await db.select().from(assetsSystemUser).where(inArray(assetsSystemUser.id, wanted))
  // The others have no name to log in with, or nobody to ask for the password.
  const isTried = (user: (typeof users)[number]) =>
    !user.username_same_with_user && user.login_mode === 'auto' && user.protocol === 'ssh'
  const passedOver = users.filter((user) => !isTried(user))
  for (const { name, username } of passedOver) await run.log(`${name}(${username || '*'}) | SKIPPED`)
  const summary = await run.each(
    await contactableHosts(db, run.hosts),
    async (host) => {
      const results: Record<string, StepResult> = {}
      for (const user of users.filter(isTried)) {
        const ping = await contact(kernel, host, { systemUser: user.id }, run, async (machine) => {
          if (machine.isSwitched) await machine.run('true', { timeoutMs: TIMEOUT_MS })
          await run.log(successOf(host, machine))
        })
        await db
          .update(assetsAccount)
          .set({ connectivity: stateOf(ping), date_verified: sql`now()` as unknown as Date })
          .where(and(eq(assetsAccount.asset, host.id), eq(assetsAccount.systemuser, user.id)))
        results[`ping ${user.name}`] = ping
      }
      return results
    },
    'steps',
  )
  return { ...summary, skipped: summary.skipped + passedOver.length }
}

export const title = ({ hostname, ip }: Pick<Asset, 'hostname' | 'ip'>) => `${hostname}(${ip})`

/**
 * Logs in to a machine, does the work over this one connection, and disconnects. Answers what became
 * of it; what went wrong is logged too.
 */
export async function contact(
  kernel: Kernel,
  host: RunHost,
  as: HostLogin,
  { id, log, signal }: Pick<TaskRun, 'id' | 'log' | 'signal'>,
  work: (machine: Host) => Promise<void>,
): Promise<StepResult> {
  try {
    const question = { assetId: host.id, as, reason: `task ${id}`, timeoutMs: TIMEOUT_MS, signal }
    const machine = await logInAgain(() => openHost(kernel, question), { host, log, signal })
    try {
      await work(machine)
      return { ok: true, changed: false }
    } finally {
      machine.close()
    }
  } catch (error) {
    if (signal.aborted) return { ok: false, msg: 'Cancelled' }
    if (!(error instanceof HostError)) throw error
    return failed(host, error, log)
  }
}

/** Logs in, with further tries where nothing was sent yet. */
async function logInAgain(
  logIn: () => Promise<Host>,
  { host, log, signal }: { host: RunHost } & Pick<TaskRun, 'log' | 'signal'>,
): Promise<Host> {
  for (const milliseconds of RETRY_PAUSES_MS) {
    try {
      return await logIn()
    } catch (error) {
      if (!(error instanceof HostError && error.isTurnedAway)) throw error
      await log(`${host.name} | UNREACHABLE | once more`)
      await pause(milliseconds, signal)
      signal.throwIfAborted()
    }
  }
  return logIn()
}

async function failed(host: RunHost, { message: msg, hostKey }: HostError, log: TaskLog): Promise<StepResult> {
  if (hostKey) await log(`${host.name} | ${hostKey.fingerprint} ≠ ${hostKey.trusted.join(', ')}`)
  await log(`${host.name} | FAILED | ${msg}`)
  return { ok: false, msg }
}
