import { type AsCodeChange, type AsCodeRequest, MOST_CHANGES } from '@sallyport/contract/as-code.ts'
import { and } from 'drizzle-orm'
import { refused } from '../../kernel/errors/app-error.ts'
import { anyOf, scopeOf } from '../../kernel/resource/conditions.ts'
import { columnOf, type ReadContext } from '../../kernel/resource/mount.ts'
import { changesBelow } from './children.ts'
import { plainContext, resourceOf, rowsNamed } from './current-rows.ts'
import { changeOf } from './differences.ts'
import { type Desired, keyOf, readDocuments } from './documents.ts'
import { refusalOf } from './door.ts'
import { fieldsOf, isSame, plainForm } from './form.ts'
import { KINDS, type Kind } from './kinds.ts'
import { Names } from './names.ts'
import { prune } from './prune.ts'
import { References } from './references.ts'
import { fail, failRow, type Outcome, type Pair, type Run, tooMany } from './run.ts'
import { wantedForm } from './wanted-form.ts'
import { createMany, inBatches, writeRow } from './write-rows.ts'

/** Rows that are compared at a time, so that the event loop is free in between. */
const SLICE = 500

/**
 * Brings the organization to what the documents say, within the caller's transaction: rows of each kind by
 * the same calls of the engine as by hand, each in a savepoint, so that all errors are reported at once.
 */
export async function carryOut(context: ReadContext, request: AsCodeRequest, isTrial: boolean): Promise<Outcome> {
  const { language } = context.call
  const { rows, errors } = await readDocuments(request, language)
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
  // Rows that nobody could read have no place in what refers to them.
  if (errors.length) return outcome
  for (const [kind, desired] of rows) await writeKind(run, kind, desired)
  if (request.prune)
    for (const kind of [...rows.keys()].toReversed()) if (!kind.isShared) await prune(run, kind, rows.get(kind) ?? [])
  const place = (change: AsCodeChange) => KINDS.findIndex(({ name }) => name === change.kind)
  outcome.changes.sort((one, other) => place(one) - place(other))
  return outcome
}

async function writeKind(run: Run, kind: Kind, desired: readonly Desired[]): Promise<void> {
  const { context, names, outcome } = run
  const refusal = refusalOf(kind.definition, 'list', context)
  if (refusal) return fail(run, kind, undefined, '', refusal)
  const toWrite: Pair[] = []
  let below = 0
  for (let at = 0; at < desired.length; at += SLICE) {
    await new Promise(setImmediate)
    const slice = desired.slice(at, at + SLICE)
    const found = await currentOf(run, kind, slice)
    await run.references.find(kind, slice)
    for (const pair of found) {
      const own = changesBelow(kind, pair.desired, pair.current)
      if (!own && !isDifferent(run, kind, pair)) outcome.unchanged++
      else toWrite.push(pair)
      below += own
      if (toWrite.length + below + outcome.changes.length > MOST_CHANGES) throw tooMany()
    }
  }
  await lockRows(run, kind, toWrite)
  const written: { pair: Pair; id: string; given: readonly string[] }[] = []
  const [many, single] = inBatches(run, kind, toWrite)
  for (const { pair, id, given } of await createMany(run, kind, many)) written.push({ pair, id, given })
  for (const pair of run.references.inOrder(kind, single, ({ desired: one }) => failRow(run, kind, one, CIRCLE))) {
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

/** The rows that are there, beside those that files want. Reports names that several have. */
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

/** Whether the row itself is to be written, not its children. */
function isDifferent(run: Run, kind: Kind, { desired, current }: Pair): boolean {
  if (!current || run.references.isWrong(kind, desired)) return true
  const fields = fieldsOf(kind)
  if (!isSame(wantedForm(kind, desired, current), plainForm(fields, current.form, kind))) return true
  return run.request.set_secrets === true && Object.keys(desired.given).length > 0
}

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
