import { BulkError, invalid } from '../../kernel/errors/app-error.ts'
import { createRow, createRows, updateRow } from '../../kernel/resource/write.ts'
import { writeChildren } from './children.ts'
import { type Current, resourceOf } from './current-rows.ts'
import type { Desired } from './documents.ts'
import { refusalOf } from './door.ts'
import { fieldsOf, fullForm, isSame, plainForm } from './form.ts'
import type { Kind } from './kinds.ts'
import { errorOf, failRow, type Pair, type Run } from './run.ts'
import { wantedValues } from './secrets.ts'
import { mergedForm, wantedForm } from './wanted-form.ts'

export interface Written {
  id: string
  /** Secrets that were written. */
  given: readonly string[]
}

/** Writes one row with all that belongs to it, or tells why not. */
export async function writeRow(run: Run, kind: Kind, { desired, current }: Pair): Promise<Written | undefined> {
  const { context } = run
  if (isRefused(run, kind, desired, current ? 'update' : 'create')) return undefined
  const resource = resourceOf(context, kind)
  const secrets = wantedValues(run, kind, desired, current !== undefined)
  const { body, whole } = await bodyOf(run, kind, desired, current)
  const sent = secrets.into(body, whole)
  try {
    if (current && !kind.children) {
      if (Object.keys(sent).length) await updateRow(resource, current.id, 'patch', sent, context)
      return { id: current.id, given: secrets.names }
    }
    // The row with its children, or neither.
    const id = await context.db.transaction(async (db) => {
      const inside = { ...context, db }
      const own = current?.id ?? String((await createRow(resource, sent, inside)).id)
      if (current && Object.keys(sent).length) await updateRow(resource, own, 'patch', sent, inside)
      await writeChildren(run, kind, desired, current, own, inside)
      return own
    })
    if (!current) run.references.isMade(kind, desired, id)
    return { id, given: secrets.names }
  } catch (thrown) {
    failRow(run, kind, desired, thrown)
    return undefined
  }
}

/** Whether the row is refused before it is written; says why. */
function isRefused(run: Run, kind: Kind, desired: Desired, act: 'create' | 'update'): boolean {
  const { context, references, outcome } = run
  const wrong = references.errorsOf(kind, desired)
  for (const { field, message } of wrong) outcome.errors.push(errorOf(kind, desired, field, message))
  if (wrong.length) references.hasFailed(kind, desired)
  const refusal = wrong.length ? undefined : refusalOf(kind.definition, act, context)
  if (refusal) failRow(run, kind, desired, refusal)
  return wrong.length > 0 || refusal !== undefined
}

/** New rows that the engine stores some hundred at a time, and the others. */
export function inBatches({ context }: Run, kind: Kind, pairs: readonly Pair[]): [many: Pair[], single: Pair[]] {
  if (!resourceOf(context, kind).mount.storedInBatches) return [[], [...pairs]]
  return [pairs.filter(({ current }) => !current), pairs.filter(({ current }) => current)]
}

/** Makes new rows at once. Those that are refused are reported, and the others are made. */
export async function createMany(run: Run, kind: Kind, pairs: readonly Pair[]): Promise<(Written & { pair: Pair })[]> {
  const { context } = run
  const open = pairs.filter(({ desired }) => !isRefused(run, kind, desired, 'create'))
  const secrets = open.map(({ desired }) => wantedValues(run, kind, desired, false))
  const bodies: Record<string, unknown>[] = []
  for (const [at, { desired }] of open.entries()) {
    const { body, whole } = await bodyOf(run, kind, desired, undefined)
    bodies.push(secrets[at]?.into(body, whole) ?? {})
  }
  let left = [...open.keys()]
  for (;;) {
    if (!left.length) return []
    try {
      // The engine's rules change what they are given.
      const sent = left.map((at) => structuredClone(bodies[at]))
      const stored = await createRows(resourceOf(context, kind), sent, context)
      return left.map((at, place) => {
        const pair = open[at] as Pair
        const id = String(stored[place]?.id)
        run.references.isMade(kind, pair.desired, id)
        return { pair, id, given: secrets[at]?.names ?? [] }
      })
    } catch (thrown) {
      if (!(thrown instanceof BulkError)) throw thrown
      const wrong = new Set<number>()
      for (const [place, at] of left.entries()) {
        const fields = thrown.rows[place]
        const pair = open[at]
        if (!fields || !pair) continue
        wrong.add(at)
        failRow(run, kind, pair.desired, invalid({ ...fields }))
      }
      left = left.filter((at) => !wrong.has(at))
    }
  }
}

/** The body that is sent: all that a file says of a new row, else the fields that differ; and the whole row. */
async function bodyOf(
  run: Run,
  kind: Kind,
  desired: Desired,
  current: Current | undefined,
): Promise<Record<'body' | 'whole', Record<string, unknown>>> {
  const fields = fieldsOf(kind)
  const form = mergedForm(kind, desired, current)
  if (kind.isTree) {
    const body = { full_value: await run.names.storedPath(desired.name) }
    return { body, whole: body }
  }
  const whole = await run.references.inIds(fields, current ? fullForm(fields, form, kind) : form)
  if (!current) return { body: whole, whole }
  const [wanted, now] = [wantedForm(kind, desired, current), plainForm(fields, current.form, kind)]
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => !isSame(wanted[name], now[name])))
  return { body, whole }
}
