import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import { ALL_SETTINGS } from '@sallyport/contract/settings/index.ts'
import { type Call, displayName } from '../../kernel/access/call.ts'
import type { Operation } from '../../kernel/audit/audit.ts'
import { noteOperations } from '../../kernel/audit/noted-operations.ts'
import type { Database } from '../../kernel/database/database.ts'
import { isPreviewing } from '../../kernel/database/previewing.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isId } from '../../kernel/resource/conditions.ts'
import { dateRange } from '../../kernel/resource/lists/date-range.ts'
import type { ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { displaysById } from '../../kernel/resource/related.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { shownChange } from './shown-changes.ts'
import { auditsOperateLog } from './tables.ts'
import { undoStates } from './undo/kept-changes.ts'

const ROWS_PER_INSERT = 1000

export default function mountOperateLog(kernel: Kernel): void {
  mountResource(kernel, operateLog, {
    table: auditsOperateLog,
    filters: dateRange(auditsOperateLog.datetime),
    computed: [
      {
        fields: ['resource_type_display', 'changes'],
        load: async (rows, { call }) =>
          rows.map((row) => ({
            resource_type_display: translate(call.language, row.resource_type),
            changes: row.changes?.map((change) => shownChange(fieldsOf(kernel, row.object_type), change, call)) ?? null,
          })),
      },
      { fields: ['object_exists'], load: findObjects },
      { fields: ['undo_state', 'change_id'], load: (rows, { db }) => undoStates(db, rows) },
    ],
  })
}

/** The fields of what was changed; settings are no resource. */
function fieldsOf(kernel: Kernel, type: string | null): Fields | undefined {
  return type === 'setting' ? ALL_SETTINGS : resourcesOf(kernel).find(type ?? '')?.definition.fields
}

/** Whether what was changed is still there, for all rows in one query. */
async function findObjects(
  rows: readonly StoredRow<typeof auditsOperateLog>[],
  { kernel, db }: ReadContext,
): Promise<{ object_exists: boolean }[]> {
  const byType = Map.groupBy(rows, ({ object_type }) => object_type ?? '')
  const wanted = [...byType].flatMap(([type, some]) => {
    const target = resourcesOf(kernel).find(type)
    const ids = new Set(some.map(({ object_id }) => object_id ?? ''))
    return target ? [{ target, ids: [...ids].filter((id) => isId(target.definition, id)) }] : []
  })
  const found = await displaysById(db, wanted)
  return rows.map(({ object_type, object_id }) => ({
    object_exists:
      object_type === 'setting'
        ? Object.hasOwn(ALL_SETTINGS, object_id ?? '')
        : (found.get(object_type ?? '')?.has(object_id ?? '') ?? false),
  }))
}

/**
 * The kernel's operate log: one row per change, in the transaction of the change, so that neither
 * is stored without the other. Changes without a user (jobs, first start) leave no row
 * (docs/rules/audits.md#operate_log).
 */
export async function recordOperations(db: Database, call: Call, operations: readonly Operation[]): Promise<void> {
  if (!call.user) return
  // A preview would make everybody wait who writes to the chain (`chain.ts`).
  if (isPreviewing()) return noteOperations(operations)
  const user = displayName(call.user).slice(0, 128)
  const { id: user_id } = call.user
  const rows = operations.map(({ action, resourceType, resource, orgId, object, changes }) => ({
    user,
    action,
    resource_type: resourceType.slice(0, 64),
    resource: resource.slice(0, 128),
    remote_addr: call.remoteAddress,
    org_id: orgId,
    user_id,
    sign_in_id: call.signInId,
    object_type: object?.type,
    object_id: object?.id,
    changes,
    on_behalf_of: call.onBehalfOf,
  }))
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await db.insert(auditsOperateLog).values(rows.slice(start, start + ROWS_PER_INSERT))
}

/**
 * A row about what was done to the installation as a whole: by an operator on the command line, or
 * by a schedule.
 */
export async function recordOperatorAct(
  db: Database,
  { user, action, resourceType, resource }: Pick<Operation, 'action' | 'resourceType' | 'resource'> & { user: string },
): Promise<void> {
  await db.insert(auditsOperateLog).values({ user, action, resource_type: resourceType, resource, org_id: ROOT_ORG_ID })
}
