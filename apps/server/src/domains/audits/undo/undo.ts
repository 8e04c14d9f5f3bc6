import { randomUUID } from 'node:crypto'
import type { UndoAnswer, UndoConflict, UndoneObject, UndoRequest } from '@sallyport/contract/resources/audits/undo.ts'
import { ALL_SETTINGS } from '@sallyport/contract/settings/index.ts'
import { eq, sql } from 'drizzle-orm'
import { type Call, isSuperAdmin } from '../../../kernel/access/call.ts'
import { may } from '../../../kernel/access/guard.ts'
import type { FieldChange, Operation } from '../../../kernel/audit/audit.ts'
import { nameChange } from '../../../kernel/audit/named-change.ts'
import { notingOperations } from '../../../kernel/audit/noted-operations.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { inPreview } from '../../../kernel/database/previewing.ts'
import { AppError, forbidden } from '../../../kernel/errors/app-error.ts'
import { refusalBody } from '../../../kernel/errors/error-handler.ts'
import { translateError } from '../../../kernel/errors/translate-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { previewError } from '../../../kernel/resource/preview/preview.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { inTransaction } from '../../../kernel/resource/transaction.ts'
import { tableOf } from '../../../kernel/undo/fields-of-rows.ts'
import { eraseKept } from '../../../kernel/undo/forget.ts'
import { keptTables } from '../../../kernel/undo/row-images.ts'
import { kernelUndoLog, kernelUndoRow } from '../../../kernel/undo/tables.ts'
import { kindOf, mayTakeBack, type TakenBack, takeBack } from '../../../kernel/undo/take-back.ts'
import {
  SETTINGS_TABLE,
  type SettingName,
  type SettingsTakenBack,
  settingsOf,
  takeSettingsBack,
} from '../../settings/index.ts'
import { shownChange } from '../shown-changes.ts'
import { auditsOperateLog } from '../tables.ts'
import {
  type ChangedObject,
  findChanges,
  keptObjects,
  keptSettings,
  type LoggedChange,
  type LogRow,
  noteUndone,
  SETTING,
} from './kept-changes.ts'

/** Limits of a trial: a large import takes its time, but holds nobody up for long. Milliseconds. */
const LIMITS = { statement: 30_000, lock: 3000 }
/** Objects of an answer. */
const SHOWN = 100

interface Found {
  changes: LoggedChange[]
  objects: ChangedObject[]
  /** Changes of settings, which are objects of no resource. */
  settings: LoggedChange[]
  total: number
  reason: AppError | undefined
}

/**
 * GET: what taking back would do, tried out and rolled back. Where it is not possible, the answer
 * says why. Throws 404 for what the caller may not read.
 */
export async function whatUndoDoes(id: string, context: ReadContext): Promise<UndoAnswer> {
  const work = async (db: Database, noted: readonly Operation[]) => {
    // Mails, jobs and events of what is only tried out wait for a commit that never comes.
    const inside = { ...context, db, change: { id: randomUUID(), undoes: id }, outer: [] }
    await nameChange(db, context.call, inside.change)
    const found = await find(id, inside)
    if (found.reason) return refusal(id, found, found.reason, context.call)
    try {
      return await carryOut(id, found, inside, {}, async () => byObject(noted))
    } catch (thrown) {
      const error = translateError(previewError(thrown), context.call.language)
      if (!(error instanceof AppError)) throw thrown
      return refusal(id, found, error, context.call)
    }
  }
  // Rules know a preview, so that none of them reaches anything outside.
  return notingOperations((noted) => inPreview(context.kernel.pool, (db) => work(db, noted), LIMITS))
}

/**
 * POST: takes it back, all or nothing. Throws 409 with what GET answers where fields have changed
 * since and the request does not say what to do about that, or where it is not possible.
 */
export async function undo(id: string, request: UndoRequest, context: ReadContext): Promise<UndoAnswer> {
  return inTransaction(context, async (inside) => {
    const found = await find(id, inside)
    if (found.reason) throw found.reason
    const answer = await carryOut(id, found, inside, request, () => loggedIn(inside.db, inside.change?.id ?? ''))
    const isOpen = answer.objects.some(({ conflicts }) => conflicts.some(({ field }) => !request.keep?.includes(field)))
    if (isOpen && !request.force) {
      const text = 'It has been changed since. Say which values are to stay.'
      throw new AppError(409, 'conflict', text, {
        body: { ...answer, change: null, detail: translate(context.call.language, text), code: 'conflict' },
      })
    }
    const done = new Set(found.objects.flatMap(({ logs }) => logs.map((log) => log.id)))
    const objects = found.changes.filter(({ log }) => done.has(log.id))
    await noteUndone(inside.db, [...objects, ...found.settings])
    return answer
  })
}

/**
 * DELETE: erases for good all that is kept of the objects of these changes, also of their other
 * changes; nothing of them can be taken back then. Throws 403 without the right to delete them.
 */
export async function eraseForGood(id: string, { kernel, db, call }: ReadContext): Promise<void> {
  await db.transaction(async (tx) => {
    const changes = await findChanges(tx, call, id)
    const objects = [...Map.groupBy(changes, ({ log }) => `${log.object_type} ${log.object_id}`).values()]
    for (const [first] of objects) {
      const { object_type, object_id, resource: words, org_id } = (first as LoggedChange).log
      if (object_type === SETTING && object_id) await eraseSetting(tx, object_id, call)
      const resource = resourcesOf(kernel).find(object_type ?? '')
      if (!resource || !object_id) continue
      const { permission, label, name } = resource.definition
      if (!may(permission.destroy ?? permission.write, call)) throw forbidden()
      if (!(await eraseKept(tx, tableOf(resource), [object_id]))) continue
      const object = { type: name, id: object_id }
      const changed = { field: 'undo', label: 'Kept for undo', before: label, after: null }
      await kernel.audit.record(tx, call, [
        { action: 'delete', resourceType: label, resource: words, orgId: org_id, object, changes: [changed] },
      ])
    }
  })
}

async function eraseSetting(db: Database, name: string, call: Call): Promise<void> {
  if (!isSuperAdmin(call)) throw forbidden()
  await db.delete(kernelUndoRow).where(sql`table_name = ${SETTINGS_TABLE} AND key ->> 'name' = ${name}`)
}

async function find(id: string, context: ReadContext): Promise<Found> {
  const { db, call } = context
  const all = await findChanges(db, call, id)
  const open = all.filter(({ change, isUndone }) => change && !isUndone)
  const nothing = { changes: all, objects: [], settings: [], total: 0 }
  if (!open.length) return { ...nothing, reason: whyNothing(all, context) }
  const isSetting = ({ log }: LoggedChange) => log.object_type === SETTING
  const settings = (await keptSettings(db, open.filter(isSetting))).length ? open.filter(isSetting) : []
  const others = open.filter((one) => !isSetting(one))
  const { objects, total } = others.length
    ? await keptObjects(context, others, await keptTables(db))
    : { objects: [], total: 0 }
  const mayAll = objects.every((object) => mayTakeBack(object, context))
  const isKept = objects.length + settings.length > 0
  const reason =
    !mayAll || (settings.length && !isSuperAdmin(call)) ? forbidden() : isKept ? undefined : refused(NOT_KEPT)
  return { changes: open, objects, settings, total: total + settings.length, reason }
}

const refused = (text: string, values: Readonly<Record<string, unknown>> = {}) =>
  new AppError(409, 'conflict', text, { values })

const NOT_KEPT = 'This cannot be taken back: nothing was kept of it, or nothing was changed.'

/** Refusals of kinds that are never taken back, by the type of object. */
const NEVER: Readonly<Record<string, string>> = {
  access_review: 'An access review is evidence: it is not taken back.',
  session: 'A session is evidence: it is not taken back.',
  site_message: 'A message that was sent is not taken back.',
  task: 'What was done on machines is not taken back.',
  ticket: 'A ticket is evidence: it is not taken back.',
}

function whyNothing(changes: readonly LoggedChange[], { kernel }: ReadContext): AppError {
  const [first] = changes
  if (changes.some(({ isUndone }) => isUndone)) return refused('It has been taken back already.')
  const { action = '', object_type, datetime } = first?.log ?? {}
  if (action === 'export' || action === 'download') return refused('What was taken along cannot be taken back.')
  const never = NEVER[object_type ?? '']
  if (never) return refused(never)
  const days = settingsOf(kernel).get('AUDIT_UNDO_DAYS')
  if (datetime && datetime.getTime() < Date.now() - days * 86_400_000)
    return refused('Changes can be taken back for {{count}} days.', { count: days })
  return refused(NOT_KEPT)
}

function refusal(id: string, { total }: Found, error: AppError, { language }: Call): UndoAnswer {
  const { detail } = refusalBody(error, language) as { detail?: string }
  const [field] = Object.values(error.fields ?? {}).flat()
  const reason = detail ?? (field ? translate(language, field) : translate(language, error.message, error.values))
  return { id, is_possible: false, reason, total, left: total, objects: [], change: null }
}

/** @param logged what the operate log says of it, by object */
async function carryOut(
  id: string,
  found: Found,
  context: ReadContext,
  request: UndoRequest,
  logged: () => Promise<Logged>,
): Promise<UndoAnswer> {
  const { db, change } = context
  const tables = await keptTables(db)
  const keep = new Set(request.keep)
  const done: TakenBack[] = []
  // Backwards: rows that others lead to were made before these and deleted after them.
  for (const kind of ['deleted', 'updated', 'created'] as const)
    for (const objects of alike(found.objects.filter((object) => kindOf(object) === kind)))
      done.push(...(await takeBack(objects, tables, context, keep)))
  const settings = await takeBackSettings(found.settings, tables, context, keep)
  const changes = await logged()
  return {
    id,
    is_possible: true,
    reason: null,
    total: found.total,
    left: found.total - found.objects.length - found.settings.length,
    objects: [
      ...done.slice(0, SHOWN).map((one) => shown(one, changes, context)),
      ...found.settings.map(({ log }) => shownSetting(log, settings, changes, context)),
    ],
    change: change?.id ?? null,
  }
}

/** Objects that follow each other in the log and are of one resource, newest first. */
function alike(objects: readonly ChangedObject[]): ChangedObject[][] {
  const begun = ({ logs }: ChangedObject) => logs.map(({ id }) => id).toSorted()[0] ?? ''
  const runs: ChangedObject[][] = []
  for (const object of objects.toSorted((one, other) => (begun(one) < begun(other) ? 1 : -1))) {
    const last = runs.at(-1)
    if (last?.[0]?.resource === object.resource) last.push(object)
    else runs.push([object])
  }
  return runs
}

/** Changes of fields that the operate log tells of, by object. */
type Logged = ReadonlyMap<string, readonly FieldChange[]>

const keyOf = (type: string | null | undefined, id: string | null | undefined) => `${type} ${id}`

/** What rows of the operate log about a change say, in its transaction. */
async function loggedIn(db: Database, change: string): Promise<Logged> {
  const { object_type, object_id, changes } = auditsOperateLog
  const rows = await db
    .select({ object_type, object_id, changes })
    .from(kernelUndoLog)
    .innerJoin(auditsOperateLog, eq(auditsOperateLog.id, kernelUndoLog.log))
    .where(eq(kernelUndoLog.change, change))
  return changesByKey(rows.map((row) => ({ key: keyOf(row.object_type, row.object_id), changes: row.changes })))
}

const byObject = (operations: readonly Operation[]): Logged =>
  changesByKey(operations.map(({ object, changes }) => ({ key: keyOf(object?.type, object?.id), changes })))

function changesByKey(rows: readonly { key: string; changes?: readonly FieldChange[] | null | undefined }[]): Logged {
  const groups = Map.groupBy(rows, ({ key }) => key)
  return new Map([...groups].map(([key, some]) => [key, some.flatMap(({ changes }) => changes ?? [])]))
}

async function takeBackSettings(
  settings: readonly LoggedChange[],
  tables: Awaited<ReturnType<typeof keptTables>>,
  context: ReadContext,
  keep: ReadonlySet<string>,
): Promise<SettingsTakenBack> {
  const table = tables.get(SETTINGS_TABLE)
  if (!settings.length || !table) return { conflicts: [], stays: [] }
  const ids = settings.flatMap(({ change }) => (change ? [change] : []))
  return takeSettingsBack(context, table, await keptSettings(context.db, settings), ids, keep)
}

function shownSetting(log: LogRow, taken: SettingsTakenBack, logged: Logged, { call }: ReadContext): UndoneObject {
  const { language } = call
  const name = log.object_id as SettingName
  const inWords = (one: FieldChange) => shownChange(ALL_SETTINGS, one, call)
  const changes = (logged.get(keyOf(SETTING, name)) ?? []).map(inWords)
  const [then] = (log.changes ?? []).map(inWords)
  const label = translate(language, ALL_SETTINGS[name]?.label ?? name)
  const conflict = { field: name, label, before: then?.before ?? null, after: then?.after ?? null }
  return {
    object_type: SETTING,
    object_id: name,
    resource_type: translate(language, 'Setting'),
    resource: label,
    action: 'update',
    changes,
    conflicts: taken.conflicts.includes(name) ? [{ ...conflict, now: changes[0]?.before ?? null }] : [],
    notes: taken.stays.includes(name)
      ? [translate(language, 'A secret has been changed since. It stays as it is.')]
      : [],
  }
}

function shown({ object, conflicts, notes }: TakenBack, logged: Logged, { kernel, call }: ReadContext): UndoneObject {
  const { resource, id, words } = object
  const { definition } = resource
  const fields = resourcesOf(kernel).find(definition.name)?.definition.fields
  const changes = (logged.get(keyOf(definition.name, id)) ?? []).map((one) => shownChange(fields, one, call))
  const then = object.inverted.map((one) => shownChange(fields, one, call))
  return {
    object_type: definition.name,
    object_id: id,
    resource_type: translate(call.language, definition.label),
    resource: words,
    action: { created: 'delete', deleted: 'create', updated: 'update' }[kindOf(object)] as UndoneObject['action'],
    changes,
    conflicts: conflicts.map((field): UndoConflict => {
      const change = changes.find((one) => one.field === field)
      const former = then.find((one) => one.field === field)
      return {
        field,
        label: change?.label ?? translate(call.language, fields?.[field]?.label ?? field),
        before: former?.after ?? null,
        after: former?.before ?? null,
        now: change?.before ?? null,
      }
    }),
    notes: notes.map(({ text, values }) => translate(call.language, text, { ...values })),
  }
}
