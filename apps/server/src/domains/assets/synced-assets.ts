import { and, eq, inArray } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { NamedChange } from '../../kernel/audit/named-change.ts'
import { AppError, BulkError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { createRows, updateRow } from '../../kernel/resource/write.ts'
import { assetsAsset } from './tables.ts'

/** What another system says of a machine. */
export interface MachineDraft {
  hostname: string
  ip: string
  public_ip: string | null
  platform: string
  protocols?: readonly string[]
  nodes?: readonly string[]
  admin_user?: string
}

export type SyncedAsset = Pick<
  typeof assetsAsset.$inferSelect,
  'id' | 'hostname' | 'ip' | 'public_ip' | 'platform' | 'admin_user'
>

/** Assets deleted in one transaction. */
const SLICE = 200

/**
 * Assets that the server makes and keeps by itself, by what another system says: under the rules of
 * every call, so that a new address is confirmed like one that a person enters.
 */
export class SyncedAssets {
  readonly #resource: MountedResource
  readonly #context: ReadContext

  /**
   * In the organization of the call.
   * @param change what a person has it do, which can be taken back as one change
   */
  constructor(kernel: Kernel, call: Call, change?: NamedChange) {
    this.#resource = resourcesOf(kernel).get('asset')
    this.#context = { kernel, db: kernel.db, call, parameters: {}, query: {}, ...(change ? { change } : {}) }
  }

  byId(ids: readonly string[]): Promise<SyncedAsset[]> {
    return this.#find(inArray(assetsAsset.id, [...ids]), ids)
  }

  named(hostnames: readonly string[]): Promise<SyncedAsset[]> {
    return this.#find(inArray(assetsAsset.hostname, [...hostnames]), hostnames)
  }

  async #find(condition: ReturnType<typeof inArray>, wanted: readonly string[]): Promise<SyncedAsset[]> {
    if (!wanted.length) return []
    const { id, hostname, ip, public_ip, platform, admin_user, org_id } = assetsAsset
    return this.#context.db
      .select({ id, hostname, ip, public_ip, platform, admin_user })
      .from(assetsAsset)
      .where(and(condition, eq(org_id, this.#context.call.org.id)))
  }

  /** Ids in the order of the drafts; where one is refused, why. */
  async create(drafts: readonly MachineDraft[]): Promise<({ id: string } | { refusal: string })[]> {
    if (!drafts.length) return []
    try {
      const rows = await createRows(this.#resource, drafts, this.#context)
      return rows.map((row) => ({ id: String(row.id) }))
    } catch (error) {
      if (!(error instanceof BulkError)) throw error
      // The others are made without those.
      const refusals = error.rows.map((fields) => fields && Object.values(fields).flat().join(' '))
      const good = drafts.filter((_, at) => refusals[at] === undefined)
      const made = (good.length < drafts.length ? await this.create(good) : []).values()
      return refusals.map((refusal) => (refusal === undefined ? (made.next().value ?? { refusal: '' }) : { refusal }))
    }
  }

  /** Why it is refused; empty where it is not. */
  async change(id: string, change: Partial<MachineDraft>): Promise<string> {
    try {
      await updateRow(this.#resource, id, 'patch', change, this.#context)
      return ''
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.fields ? Object.values(error.fields).flat().join(' ') : error.message
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += SLICE)
      await deleteRowsById(this.#resource, ids.slice(at, at + SLICE), this.#context)
  }
}
