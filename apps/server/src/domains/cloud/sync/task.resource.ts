import { syncInstanceTask as definition } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { periodicDisplay, planTimes } from '../../accounts/index.ts'
import { isIpGroupEntry } from '../../acls/index.ts'
import { protocolErrors } from '../../assets/index.ts'
import { assetsListedSystemUser } from '../../system-users/index.ts'
import { isRegion } from '../providers/cloud.ts'
import { cloudInstance, cloudSyncRun, cloudSyncTask } from '../tables.ts'

type Writing = WriteContext<typeof definition, typeof cloudSyncTask>

/** Which machines of clouds become assets (docs/rules/xpack.md#sync_instance_task, A3.26). */
export default function mountTasks(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: cloudSyncTask,
    computed: [periodicDisplay, { fields: ['history_count', 'instance_count', 'summary'], load: countsOf }],
    rules: { beforeWrite: [planTimes, checkRegions, checkProtocols, checkNetworks, checkAdminUsers] },
  })
}

/** By the number of each (docs/rules/xpack.md#sync_instance). */
const STATES = ['unsync', 'new', 'sync', 'released'] as const

async function countsOf(rows: readonly { id: string }[], { db }: ReadContext) {
  const ids = rows.map(({ id }) => id)
  const count = sql<number>`count(*)::int`
  const [runs, instances] = await Promise.all([
    db
      .select({ task: cloudSyncRun.task, count })
      .from(cloudSyncRun)
      .where(inArray(cloudSyncRun.task, ids))
      .groupBy(cloudSyncRun.task),
    db
      .select({ task: cloudInstance.task, status: cloudInstance.status, count })
      .from(cloudInstance)
      .where(inArray(cloudInstance.task, ids))
      .groupBy(cloudInstance.task, cloudInstance.status),
  ])
  return ids.map((id) => {
    const own = instances.filter(({ task }) => task === id)
    const inState = (state: number) => own.find(({ status }) => status === state)?.count ?? 0
    return {
      history_count: runs.find(({ task }) => task === id)?.count ?? 0,
      instance_count: own.reduce((sum, { count }) => sum + count, 0),
      summary: Object.fromEntries(STATES.map((name, state) => [name, inState(state)])),
    }
  })
}

/** A region becomes part of a host's name. */
function checkRegions({ draft }: Writing): void {
  if (!draft.regions) return
  draft.regions = [...new Set(draft.regions.map((region) => region.trim()))]
  refuse('regions', draft.regions, isRegion, 'This is no region')
}

function checkNetworks({ draft }: Writing): void {
  if (!draft.ip_network_segment_group) return
  const networks = [...new Set(draft.ip_network_segment_group.map((network) => network.trim()))]
  draft.ip_network_segment_group = networks
  refuse('ip_network_segment_group', networks, isIpGroupEntry, 'Write *, a network such as 192.168.1.0/24, or a range')
}

function refuse(field: string, values: readonly string[], isGood: (value: string) => boolean, words: string): void {
  const wrong = values.flatMap((value, at) => (isGood(value) ? [] : [[`${field}.${at}`, words] as const]))
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
}

function checkProtocols({ draft }: Writing): void {
  const errors = protocolErrors(draft.protocols ?? [])
  if (Object.keys(errors).length) throw invalid(errors)
}

async function checkAdminUsers({ draft, row, db }: Writing): Promise<void> {
  for (const field of ['unix_admin_user', 'windows_admin_user'] as const) {
    const id = draft[field]
    if (id && id !== row?.[field] && !(await isAdmin(db, id)))
      throw invalid({ [field]: 'Only admin users can be chosen' })
  }
}

async function isAdmin(db: Database, id: string): Promise<boolean> {
  const { type } = assetsListedSystemUser
  const [user] = await db.select({ type }).from(assetsListedSystemUser).where(eq(assetsListedSystemUser.id, id))
  return user?.type === 'admin'
}
