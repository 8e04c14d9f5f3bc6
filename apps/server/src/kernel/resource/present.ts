import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { isRoot } from '../access/call.ts'
import { askAll } from '../database/ask-all.ts'
import { translate } from '../i18n/translate.ts'
import { formatDateTime } from './datetime.ts'
import type { ReadContext, StoredRow } from './mount.ts'
import type { MountedResource } from './registry.ts'
import { loadRelated, type Related } from './related.ts'
import { presentShape } from './shapes.ts'

type WireRow = Record<string, unknown>

/**
 * Stored rows as they are answered, with relations, display texts and computed values loaded for
 * all rows at once. `fields` are the names to answer, in order.
 */
export async function presentRows(
  resource: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<WireRow[]> {
  if (!rows.length) return []
  const { definition, mount } = resource
  const computed = await loadComputed(resource, rows, fields, context)
  const related = await loadRelated(resource, rows, fields, context)
  const orgNames = fields.includes('org_name') ? await orgNamesFor(context) : undefined
  const plan = fields.map((name) => ({
    name,
    field: definition.fields[name] as Field,
    choices: choicesShownBy(definition, name),
    related: relatedValue(name, related),
  }))
  return rows.map((stored, index) => {
    const row: WireRow = {}
    const worked = computed[index]
    for (const { name, field, choices, related: readRelated } of plan) {
      if (worked && name in worked) row[name] = encode(worked[name], field, context)
      else if (readRelated) row[name] = readRelated(stored)
      else if (field.shapeBy) row[name] = presentShape(field, stored[field.shapeBy], stored[name])
      else if (name in stored) row[name] = encode(stored[name], field, context)
      else if (choices)
        row[name] = translate(
          context.call.language,
          choices.labels[String(stored[choices.field])] ?? String(stored[choices.field] ?? ''),
        )
      else if (name === 'org_name') row[name] = orgNames?.get(String(stored.org_id)) ?? ''
    }
    return mount.present ? mount.present(row, stored, context) : row
  })
}

/** Outside the root organization all rows belong to the current one. */
async function orgNamesFor({ kernel, call }: ReadContext): Promise<ReadonlyMap<string, string>> {
  return isRoot(call) ? kernel.orgNames() : new Map([[call.org.id, call.org.name]])
}

function encode(value: unknown, field: Field, { call }: ReadContext): unknown {
  if (value instanceof Date) return formatDateTime(value, call.timeZone)
  if (field.type === 'choice' && field.integer && typeof value === 'string') return Number(value)
  return value ?? (field.type === 'refs' || field.type === 'strings' || field.type === 'multichoice' ? [] : null)
}

/** `category_display` and `get_category_display` show the label of choice field `category`. */
function choicesShownBy(
  definition: ResourceDefinition,
  name: string,
): { field: string; labels: Readonly<Record<string, string>> } | undefined {
  const base = /^(?:get_)?(.+)_display$/.exec(name)?.[1]
  const choices = base ? definition.fields[base]?.choices : undefined
  return base && choices ? { field: base, labels: choices } : undefined
}

async function loadComputed(
  { mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<(Record<string, unknown> | undefined)[]> {
  const wanted = (mount.computed ?? []).filter((one) => one.fields.some((name) => fields.includes(name)))
  const loaded = await askAll(
    context.db,
    wanted.map((one) => () => one.load(rows, context)),
  )
  return rows.map((_, index) =>
    loaded.length ? Object.assign({}, ...loaded.map((values) => values[index])) : undefined,
  )
}

/**
 * How `<ref>_display`, `<refs>_display` and `<refs>_amount` get their value; undefined for all
 * other fields.
 */
function relatedValue(name: string, { relations, words }: Related): ((stored: StoredRow) => unknown) | undefined {
  const own = relations.get(name)
  if (own) return (stored) => own.get(String(stored.id))?.ids ?? []
  const amount = name.endsWith('_amount') ? relations.get(name.slice(0, -'_amount'.length)) : undefined
  if (amount) return (stored) => amount.get(String(stored.id))?.ids.length ?? 0
  if (!name.endsWith('_display')) return undefined
  const base = name.slice(0, -'_display'.length)
  const many = relations.get(base)
  if (many) return (stored) => many.get(String(stored.id))?.words ?? []
  const one = words.get(base)
  return one && ((stored) => one.get(String(stored[base])) ?? '')
}
