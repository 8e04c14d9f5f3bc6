import { application } from '@sallyport/contract/resources/applications/application.ts'
import { inArray } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { presentShape } from '../../kernel/resource/shapes.ts'
import { assetsListedAsset } from '../assets/index.ts'

/** The attributes of an application, as stored. */
export interface StoredAttrs {
  type: string
  attrs: unknown
}

/**
 * The attributes of applications as they are answered, each by its own type and without passwords.
 * Remote apps have the machine they run on as `asset_info`; where it is gone, that is empty and
 * `asset` is null (docs/rules/applications.md#attrs). One query for all.
 */
export async function shownAttrs(db: Database, rows: readonly StoredAttrs[]): Promise<Record<string, unknown>[]> {
  const shown = rows.map(({ type, attrs }) => presentShape(application.fields.attrs, type, attrs))
  const ids = [...new Set(shown.map(({ asset }) => asset).filter(isUuid))]
  const machines = ids.length
    ? await db
        .select({ id: assetsListedAsset.id, hostname: assetsListedAsset.hostname })
        .from(assetsListedAsset)
        .where(inArray(assetsListedAsset.id, ids))
    : []
  const byId = new Map(machines.map((machine) => [machine.id, machine]))
  return shown.map((attrs) => {
    if (!('asset' in attrs)) return attrs
    const machine = byId.get(String(attrs.asset))
    return { asset_info: machine ?? {}, ...attrs, asset: machine?.id ?? null }
  })
}
