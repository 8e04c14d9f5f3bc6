import { type AsCodeChange, type AsCodeRequest, MOST_CHANGES, MOST_ROWS } from '@sallyport/contract/as-code.ts'
import { and, sql } from 'drizzle-orm'
import { refused } from '../../kernel/errors/app-error.ts'
import { anyOf, scopeOf } from '../../kernel/resource/conditions.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import { columnOf, type ReadContext } from '../../kernel/resource/mount.ts'
import { createRow, updateRow } from '../../kernel/resource/write.ts'
import { differsBelow, writeChildren } from './children.ts'
import { type Current, ownRows, plainContext, resourceOf, rowsNamed } from './current-rows.ts'
import { changeOf } from './differences.ts'
import { type Desired, keyOf, nameOf, readDocuments } from './documents.ts'
import { refusalOf } from './door.ts'
import { type Form, fieldsOf, fullForm, isOfNow, isSame, plainForm } from './form.ts'
import { KINDS, type Kind } from './kinds.ts'
import { Names } from './names.ts'
import { References } from './references.ts'
import { errorOf, fail, type Outcome, type Run } from './run.ts'
import { wantedValues } from './secrets.ts'

/** Rows that are compared at a time, so that the event loop is free in between. */
const SLICE = 500

/** A row of the files with the one that is there. */
interface Pair {
  desired: Desired
  current: Current | undefined
}

/**
 * Brings the organization to what the documents say, within the caller's transaction: rows of each kind by
 * the same calls of the engine as by hand, each in a savepoint, so that all that is wrong is told at once.
 */
export async function carryOut(context: ReadContext, request: AsCodeRequest, isTrial: boolean): Promise<Outcome> {
  const { language } = context.call
  const { rows, errors } = readDocuments(request, language)
  const inside = plainContext(context)
  const names = new Names(inside)
  const outcome: Outcome = { changes: [], errors, wanted: [], unchanged: 0 }
  const run: Run = {
    context: inside,
    request,
    isTrial,
    names,
    references: new References(names, rows, language),
    outcome,
  }
  // Told before anything is written: rows that nobody could read have no place in what refers to them.
  if (errors.length) return outcome
  for (const [kind, desired] of rows) await writeKind(run, kind, desired)
  if (request.prune) for (const kind of [...rows.keys()].toReversed()) await prune(run, kind, rows.get(kind) ?? [])
  const place = (change: AsCodeChange) => KINDS.findIndex(({ name }) => name === change.kind)
  outcome.changes.sort((one, other) => place(one) - place(other))
  return outcome
}

async function writeKind(run: Run, kind: Kind, desired: readonly Desired[]): Promise<void> {
  const { context, names, outcome } = run
  const refusal = refusalOf(kind.definition, 'list', context)
  if (refusal) return fail(run, kind, undefined, '', refusal)
  const toWrite: Pair[] = []
  for (let at = 0; at < desired.length; at += SLICE) {
    await new Promise(setImmediate)
    const slice = desired.slice(at, at + SLICE)
    const found = await currentOf(run, kind, slice)
    await run.references.find(kind, slice)
    for (const pair of found) {
      if (!isDifferent(run, kind, pair)) outcome.unchanged++
      else toWrite.push(pair)
      if (toWrite.length + outcome.changes.length > MOST_CHANGES) throw tooMany()
    }
  }
  await lockRows(run, kind, toWrite)
  const written: { pair: Pair; id: string; given: readonly string[] }[] = []
  for (const pair of run.references.inOrder(kind, toWrite, ({ desired: one }) => failRow(run, kind, one, CIRCLE))) {
    const done = await writeRow(run, kind, pair)
    if (done) written.push({ pair, ...done })
  }
  const after = new Map(
    (await rowsNamed(kind, { ids: written.map(({ id }) => id) }, context, names)).map((row) => [row.id, row]),
  )
  for (const { pair, id, given } of written) {
    const change = changeOf(kind, pair.desired, pair.current, after.get(id), given)
    if (change) outcome.changes.push(change)
    else outcome.unchanged++
  }
}

const CIRCLE = refused('bad_request', 'New rows refer to each other in a circle: make one of them without that first.')

const tooMany = () =>
  refused('too_large', 'One call changes at most 1000 rows: apply some of the files first, such as one kind.')

/** The rows that are there, beside those that files want. Tells of names that several have. */
async function currentOf(run: Run, kind: Kind, slice: readonly Desired[]): Promise<Pair[]> {
  const { context, names } = run
  const [first = ''] = kind.key
  const texts = slice.filter(({ id }) => id === undefined).map(({ form }) => String(form[first]))
  const stored = kind.isTree ? await Promise.all(texts.map((path) => names.storedPath(path))) : texts
  const byName = Map.groupBy(await rowsNamed(kind, { names: stored }, context, names), ({ form }) => keyOf(kind, form))
  const ids = slice.flatMap(({ id }) => id ?? [])
  const byId = new Map((await rowsNamed(kind, { ids }, context, names)).map((row) => [row.id, row]))
  return slice.flatMap((desired): Pair[] => {
    if (desired.id !== undefined) {
      const current = byId.get(desired.id)
      if (current) return [{ desired, current }]
      fail(
        run,
        kind,
        desired,
        'id',
        refused('bad_request', 'Nothing here has this id: leave it out to make a new one.'),
      )
      return []
    }
    const [current, other] = byName.get(desired.key) ?? []
    if (!other) return [{ desired, current }]
    fail(
      run,
      kind,
      desired,
      'id',
      refused('bad_request', 'Several objects are named "{{name}}": give the id.', { name: desired.name }),
    )
    return []
  })
}

function isDifferent(run: Run, kind: Kind, { desired, current }: Pair): boolean {
  if (!current || run.references.isWrong(kind, desired)) return true
  const fields = fieldsOf(kind)
  if (!isSame(wantedForm(kind, desired, current), plainForm(fields, current.form, kind))) return true
  if (run.request.set_secrets && Object.keys(desired.given).length) return true
  return differsBelow(kind, desired, current)
}

/** What a file wants of a row, with that of the present one that it leaves alone. */
function mergedForm(kind: Kind, { form }: Desired, current: Current | undefined): Form {
  if (!current) return form
  const merged: Record<string, unknown> = { ...form }
  for (const [name, field] of Object.entries(fieldsOf(kind))) {
    const now = current.form[name]
    if (kind.grows?.includes(name)) merged[name] = [...new Set([...listOf(now), ...listOf(form[name])])]
    else if (isOfNow(field) && form[name] === undefined) merged[name] = now
  }
  return merged
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const wantedForm = (kind: Kind, desired: Desired, current: Current | undefined): Form =>
  plainForm(fieldsOf(kind), mergedForm(kind, desired, current), kind)

/** From here on these rows are as they were read: others who change them wait. */
async function lockRows(run: Run, kind: Kind, pairs: readonly Pair[]): Promise<void> {
  const { context, names } = run
  const ids = pairs.flatMap(({ current }) => current?.id ?? [])
  if (!ids.length) return
  const resource = resourceOf(context, kind)
  const id = columnOf(resource.mount.table, 'id')
  await context.db
    .select({ id })
    .from(resource.mount.table)
    .where(and(anyOf(id, ids), scopeOf(resource, context)))
    .orderBy(id)
    .for('update')
  const now = new Map((await rowsNamed(kind, { ids }, context, names)).map((row) => [row.id, row]))
  for (const pair of pairs) if (pair.current) pair.current = now.get(pair.current.id)
}

/** Writes one row with all that belongs to it, or tells why not. */
async function writeRow(
  run: Run,
  kind: Kind,
  { desired, current }: Pair,
): Promise<{ id: string; given: readonly string[] } | undefined> {
  const { context, references } = run
  const wrong = references.errorsOf(kind, desired)
  if (wrong.length) {
    for (const { field, message } of wrong) run.outcome.errors.push(errorOf(kind, desired, field, message))
    references.hasFailed(kind, desired)
    return undefined
  }
  const refusal = refusalOf(kind.definition, current ? 'update' : 'create', context)
  if (refusal) {
    failRow(run, kind, desired, refusal)
    return undefined
  }
  const resource = resourceOf(context, kind)
  const secrets = wantedValues(run, kind, desired, current !== undefined)
  try {
    // The row with its children, or neither.
    return await context.db.transaction(async (db) => {
      const inside = { ...context, db }
      const body = await bodyOf(run, kind, desired, current)
      const sent = secrets.into(body)
      let id = current?.id ?? ''
      if (!current) {
        id = String((await createRow(resource, sent, inside)).id)
        references.isMade(kind, desired, id)
      } else if (Object.keys(sent).length) await updateRow(resource, current.id, 'patch', sent, inside)
      await writeChildren(run, kind, desired, current, id, inside)
      return { id, given: secrets.names }
    })
  } catch (thrown) {
    failRow(run, kind, desired, thrown)
    return undefined
  }
}

/** Tells of a row that is not there for those that refer to it. */
function failRow(run: Run, kind: Kind, desired: Desired, thrown: unknown): void {
  fail(run, kind, desired, '', thrown)
  run.references.hasFailed(kind, desired)
}

/** What is sent: all that a file says of a new row, else the fields that differ. */
async function bodyOf(
  run: Run,
  kind: Kind,
  desired: Desired,
  current: Current | undefined,
): Promise<Record<string, unknown>> {
  const fields = fieldsOf(kind)
  const form = mergedForm(kind, desired, current)
  const inIds = await run.references.inIds(fields, current ? fullForm(fields, form, kind) : form)
  if (kind.isTree) return { full_value: await run.names.storedPath(desired.name) }
  if (!current) return inIds
  const [wanted, now] = [wantedForm(kind, desired, current), plainForm(fields, current.form, kind)]
  return Object.fromEntries(Object.entries(inIds).filter(([name]) => !isSame(wanted[name], now[name])))
}

/** Takes the rows out that no file names. */
async function prune(run: Run, kind: Kind, desired: readonly Desired[]): Promise<void> {
  const { context, names, outcome } = run
  const resource = resourceOf(context, kind)
  const { table } = resource.mount
  const id = columnOf(table, 'id')
  const first = columnOf(table, kind.key[0] ?? '')
  const all = await context.db
    .select({ id: sql<string>`${id}::text`, name: sql<string>`${first}::text` })
    .from(table)
    .where(and(ownRows(kind, context), scopeOf(resource, context)))
    .limit(MOST_ROWS + 1)
  if (all.length > MOST_ROWS) throw refused('too_large', 'There are more than 20000 rows of this kind: delete by hand.')
  const texts = desired.map(({ form }) => String(form[kind.key[0] ?? '']))
  const named = new Set(kind.isTree ? await Promise.all(texts.map((path) => names.storedPath(path))) : texts)
  const ids = new Set(desired.flatMap((one) => one.id ?? []))
  const keys = new Set(desired.filter((one) => one.id === undefined).map(({ key }) => key))
  const unsure = all.filter((row) => !ids.has(row.id))
  // Those with another first name are certain; the others are read.
  const read = [
    ...unsure.filter(({ name }) => !named.has(name)),
    ...(kind.key.length > 1 ? unsure.filter(({ name }) => named.has(name)) : []),
  ]
  if (read.length + outcome.changes.length > MOST_CHANGES) throw tooMany()
  const rows = await rowsNamed(kind, { ids: read.map((row) => row.id) }, context, names)
  const gone = rows.filter(({ form }) => !keys.has(keyOf(kind, form)))
  const depth = ({ form }: Current) => (kind.isTree ? nameOf(kind, form).split('/').length : 0)
  for (const row of gone.toSorted((one, other) => depth(other) - depth(one))) {
    const name = nameOf(kind, row.form)
    const refusal = refusalOf(kind.definition, 'destroy', context)
    try {
      if (refusal) throw refusal
      await deleteRowsById(resource, [row.id], context)
      outcome.changes.push({ kind: kind.name, name, action: 'delete', fields: [] })
    } catch (thrown) {
      fail(run, kind, { index: null, name }, '', thrown)
    }
  }
}
