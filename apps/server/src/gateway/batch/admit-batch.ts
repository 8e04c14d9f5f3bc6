import { eq, inArray } from 'drizzle-orm'
import { assetsListedAsset, assetsListedPlatform, devicesAmong } from '../../domains/assets/index.ts'
import type { AdmittedRun, RunContext } from '../../domains/ops/command-executions/index.ts'
import type { HostFacts } from '../../domains/ops/runbooks/index.ts'
import { connectableAssets } from '../../domains/perms/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { assetsListedSystemUser, seesSystemUser } from '../../domains/system-users/index.ts'
import { type Call, callerOf, isOrgAuditor } from '../../kernel/access/call.ts'
import { forbidden, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type PlannedMachines, planOf } from './runbook-plan.ts'

/** Person, target, account and commands of a run. */
export interface WantedRun {
  call: Call
  hosts: readonly string[]
  systemUserId: string
  /** Machines that are not granted any more stay in it: they are skipped, and reported, when it runs. */
  isScheduled?: boolean
}

/** A run that may begin, and what is known of its machines. */
export type PlacedRun = AdmittedRun & PlannedMachines

/** A batch command that is about to be stored, or the run of a runbook. */
export async function admitBatch(kernel: Kernel, { call, draft, body }: RunContext): Promise<AdmittedRun> {
  const plan = planOf(body)
  const wanted = { call, hosts: draft.hosts as string[], systemUserId: String(draft.run_as) }
  if (!plan) return placeRun(kernel, wanted)
  const { runbook, display, commands, handed, isScheduled = false } = plan
  const run = await placeRun(kernel, { ...wanted, isScheduled })
  return { ...run, from: { runbook, display, commands, handed, isScheduled } }
}

/** Throws 403 where common people may not, and 400 by field. */
export async function placeRun(
  kernel: Kernel,
  { call, hosts, systemUserId, isScheduled = false }: WantedRun,
): Promise<PlacedRun> {
  if (!settingsOf(kernel).get('SECURITY_COMMAND_EXECUTION') && !isOrgAuditor(call)) throw forbidden()
  const { db } = kernel
  const { id: userId } = callerOf(call)
  // Nobody learns here that system users and machines exist that they neither administer nor were
  // granted.
  const [systemUser] =
    isScheduled || (await seesSystemUser(db, call, systemUserId))
      ? await db.select().from(assetsListedSystemUser).where(eq(assetsListedSystemUser.id, systemUserId))
      : []
  const wanted = [...new Set(hosts)]
  // docs/rules/ops.md#command_execution: what is not granted is said of the machines.
  const notGranted = (ids: readonly string[]) => ({
    hosts: `${translate(call.language, 'Not granted with this system user')}: ${ids.join(', ')}`,
  })
  if (!systemUser) throw invalid({ run_as: 'Not found.', ...(isScheduled ? {} : notGranted(wanted)) })
  const { org_id: orgId, name, username, protocol, login_mode } = systemUser
  if (protocol !== 'ssh' || login_mode !== 'auto')
    throw invalid({ run_as: 'Batch commands need a system user of SSH whose password or key is stored.' })
  const granted = new Set(await connectableAssets(db, { userId, systemUserId, assetIds: wanted }))
  const missing = wanted.filter((id) => !granted.has(id))
  if (missing.length && !isScheduled) throw invalid(notGranted(missing))
  const { id, hostname, ip, platform } = assetsListedAsset
  const rows = await db
    .select({ id, hostname, ip, platform, base: assetsListedPlatform.base })
    .from(assetsListedAsset)
    .innerJoin(assetsListedPlatform, eq(assetsListedPlatform.name, platform))
    .where(inArray(id, wanted))
    .orderBy(hostname, id)
  return {
    orgId,
    runAs: `${name}(${username})`,
    bases: new Map(rows.map((row) => [row.id, row.base])),
    devices: await devicesAmong(db, wanted),
    names: new Map(rows.map((row) => [row.id, row.hostname])),
    facts: new Map(
      rows.map((row) => [
        row.id,
        { 'host.name': row.hostname, 'host.ip': row.ip, 'host.platform': row.platform } satisfies HostFacts,
      ]),
    ),
  }
}
