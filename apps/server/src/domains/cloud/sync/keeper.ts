import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm'
import { awaitedLater } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MachineDraft, SyncedAsset, SyncedAssets } from '../../assets/index.ts'
import type { TaskLog } from '../../ops/index.ts'
import type { CloudInstance } from '../providers/cloud.ts'
import { cloudInstance, type cloudSyncTask, type UnsyncedReason } from '../tables.ts'
import { draftOf } from './machine-draft.ts'

export interface Keeping {
  kernel: Kernel
  task: typeof cloudSyncTask.$inferSelect
  /** The cloud that the ids of the machines belong to. */
  cloud: string
  run: string
  assets: SyncedAssets
  log: TaskLog
  signal: AbortSignal
}

type Known = typeof cloudInstance.$inferSelect
/** The finding of a run about a machine. */
interface Finding {
  status: 0 | 1 | 2
  asset: string | null
  leads: boolean
  reason: UnsyncedReason
}
interface Wanted {
  instance: CloudInstance
  draft: MachineDraft
}

/** Makes and keeps the assets of a task's machines, a page at a time: however many there are, no more is in memory. */
export class Keeper {
  readonly #of: Keeping
  readonly counts = { new: 0, unsync: 0, sync: 0, released: 0 }
  /** Lines of the page that are being written: waiting for each would be a query a machine. */
  #logged: Promise<void>[] = []

  constructor(keeping: Keeping) {
    this.#of = keeping
  }

  /** Deals with machines that are there; answers how many of them this run had not seen yet. */
  async keep(region: string, page: readonly CloudInstance[]): Promise<number> {
    const { run, task, signal } = this.#of
    signal.throwIfAborted()
    const known = await this.#known(page)
    const isSeen = (id: string) =>
      known.some((row) => row.instance_id === id && row.task === task.id && row.run === run)
    // A cloud may show a machine twice while pages move.
    const fresh = [...new Map(page.map((one) => [one.id, one])).values()].filter(({ id }) => id && !isSeen(id))
    const findings = new Map<string, Finding>()
    const bound = await this.#bound(known)
    const unbound: Wanted[] = []
    for (const instance of fresh) {
      const rows = known.filter(({ instance_id }) => instance_id === instance.id)
      const asset = bound.get(rows.find(({ asset: id }) => id && bound.has(id))?.asset ?? '')
      const draft = draftOf(instance, task)
      if (asset) findings.set(instance.id, await this.#follow(asset, draft, rows))
      else if (draft) unbound.push({ instance, draft })
      else findings.set(instance.id, { status: 0, asset: null, leads: false, reason: 'no_address' })
    }
    await this.#make(unbound, findings)
    await this.#store(region, findings)
    for (const { status } of findings.values()) this.counts[status === 1 ? 'new' : status === 2 ? 'sync' : 'unsync']++
    await this.#written()
    return fresh.length
  }

  /** Marks those of a region that are gone, once all of it was read. Their assets stay. */
  async release(region: string): Promise<void> {
    const { kernel, task, run, cloud } = this.#of
    const gone = await kernel.db
      .update(cloudInstance)
      .set({ status: 3, leads: false, reason: '', date_sync: sql`now()` as unknown as Date })
      .where(
        and(
          eq(cloudInstance.task, task.id),
          eq(cloudInstance.cloud, cloud),
          eq(cloudInstance.region, region),
          ne(cloudInstance.status, 3),
          sql`${cloudInstance.run} IS DISTINCT FROM ${run}`,
        ),
      )
      .returning({ instance_id: cloudInstance.instance_id })
    this.counts.released += gone.length
    for (const { instance_id } of gone) this.#tell(`${instance_id} | RELEASED`)
    await this.#written()
  }

  #tell(line: string): void {
    this.#logged.push(awaitedLater(this.#of.log(line)))
  }

  /** Waits until all lines are in the log. */
  async #written(): Promise<void> {
    await Promise.all(this.#logged.splice(0))
  }

  /** What this and other tasks know of these machines. */
  #known(page: readonly CloudInstance[]): Promise<Known[]> {
    const { kernel, task, cloud } = this.#of
    const ids = page.map(({ id }) => id)
    return kernel.db
      .select()
      .from(cloudInstance)
      .where(
        and(
          eq(cloudInstance.org_id, task.org_id),
          eq(cloudInstance.cloud, cloud),
          sql`${cloudInstance.instance_id} = ANY(${sql.param(ids)}::text[])`,
        ),
      )
  }

  async #bound(known: readonly Known[]): Promise<Map<string, SyncedAsset>> {
    const ids = [...new Set(known.flatMap(({ asset }) => asset ?? []))]
    return new Map((await this.#of.assets.byId(ids)).map((asset) => [asset.id, asset]))
  }

  /**
   * A machine that has its asset. One task alone keeps that up to date, or two with different
   * strategies would rename it in turn: the one that leads, else, where that is gone or sees the
   * machine no more, this one.
   */
  async #follow(asset: SyncedAsset, draft: MachineDraft | undefined, rows: readonly Known[]): Promise<Finding> {
    const { task, assets } = this.#of
    const leads = !rows.some((row) => row.task !== task.id && row.leads && row.status !== 3)
    const finding: Finding = { status: 2, asset: asset.id, leads, reason: '' }
    if (!leads || !task.is_always_update || !draft) return finding
    const change = changeOf(asset, draft)
    if (!Object.keys(change).length) return finding
    const refusal = await assets.change(asset.id, change)
    const what = Object.entries(change).map(([name, value]) => `${name}=${value}`)
    this.#tell(
      `${asset.hostname}(${asset.ip}) | ${refusal ? `NOT CHANGED: ${refusal}` : 'CHANGED'} | ${what.join(' ')}`,
    )
    if (change.ip && !refusal)
      this.#tell(
        '  Stored secrets are used there once it shows its host key, or a system administrator confirms the address',
      )
    return finding
  }

  /** Assets of machines that have none: an existing one, by name and address, else a new one. */
  async #make(wanted: readonly Wanted[], findings: Map<string, Finding>): Promise<void> {
    if (!wanted.length) return
    const { assets } = this.#of
    const named = new Map(
      (await assets.named(wanted.map(({ draft }) => draft.hostname))).map((asset) => [asset.hostname, asset]),
    )
    const held = await this.#held([...named.values()].map(({ id }) => id))
    const unsynced = ({ instance, draft }: Wanted, reason: UnsyncedReason, words: string) => {
      findings.set(instance.id, { status: 0, asset: null, leads: false, reason })
      this.#tell(`${instance.id} | ${draft.hostname}(${draft.ip}) | UNSYNCED: ${words}`)
    }
    const names = new Set<string>()
    const missing: Wanted[] = []
    for (const one of wanted) {
      const { instance, draft } = one
      const stands = named.get(draft.hostname)
      if (stands && stands.ip === draft.ip && !held.has(stands.id) && !names.has(draft.hostname))
        findings.set(instance.id, { status: 2, asset: stands.id, leads: true, reason: '' })
      else if (stands || names.has(draft.hostname)) unsynced(one, 'name_taken', 'another asset has this name')
      else missing.push(one)
      names.add(draft.hostname)
    }
    const made = await assets.create(missing.map(({ draft }) => draft))
    for (const [at, one] of missing.entries()) {
      const result = made[at]
      if (result && 'id' in result) {
        findings.set(one.instance.id, { status: 1, asset: result.id, leads: true, reason: '' })
        this.#tell(`${one.instance.id} | ${one.draft.hostname}(${one.draft.ip}) | NEW`)
      } else unsynced(one, 'refused', result?.refusal ?? '')
    }
  }

  /** Assets of these that belong to a machine which is still there. */
  async #held(ids: readonly string[]): Promise<Set<string>> {
    if (!ids.length) return new Set()
    const rows = await this.#of.kernel.db
      .select({ asset: cloudInstance.asset })
      .from(cloudInstance)
      .where(and(isNotNull(cloudInstance.asset), inArray(cloudInstance.asset, [...ids]), ne(cloudInstance.status, 3)))
    return new Set(rows.flatMap(({ asset }) => asset ?? []))
  }

  async #store(region: string, findings: ReadonlyMap<string, Finding>): Promise<void> {
    const { kernel, task, cloud, run } = this.#of
    const rows = [...findings].map(([instance_id, finding]) => ({
      ...{ org_id: task.org_id, task: task.id, cloud, instance_id, region, run },
      ...finding,
    }))
    if (!rows.length) return
    const set = Object.fromEntries(
      ['asset', 'leads', 'region', 'status', 'reason', 'run'].map((name) => [name, sql.raw(`excluded.${name}`)]),
    )
    await kernel.db
      .insert(cloudInstance)
      .values(rows)
      .onConflictDoUpdate({
        target: [cloudInstance.task, cloudInstance.cloud, cloudInstance.instance_id],
        set: { ...set, date_sync: sql`now()` },
      })
  }
}

/** The differences. A platform that people chose stays, as long as it is of that kind. */
function changeOf(asset: SyncedAsset, draft: MachineDraft): Partial<MachineDraft> {
  const change: Partial<MachineDraft> = {}
  for (const name of ['hostname', 'ip', 'public_ip'] as const)
    if (draft[name] !== asset[name]) Object.assign(change, { [name]: draft[name] })
  if (isWindows(draft.platform) !== isWindows(asset.platform)) change.platform = draft.platform
  if (draft.admin_user && draft.admin_user !== asset.admin_user) change.admin_user = draft.admin_user
  return change
}

const isWindows = (platform: string) => /^windows/i.test(platform)
