import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FastifyReply } from 'fastify'
import type { Call } from '../access/call.ts'
import { refused } from '../errors/app-error.ts'
import { type Cell, type SpreadsheetType, writeSpreadsheet } from '../files/spreadsheet.ts'
import { translate } from '../i18n/translate.ts'
import { formatDateTime } from './datetime.ts'
import type { ReadContext } from './mount.ts'
import { presentRows } from './present.ts'
import { sourceOf } from './read.ts'
import type { MountedResource } from './registry.ts'
import { defaultOf } from './schema.ts'
import { shapeOf } from './shapes.ts'

/**
 * Rows presented at a time, so that a large export does not occupy the database or the event loop
 * for long.
 */
const BATCH = 1000
/**
 * Exports are never cut silently (notes 36): a larger one is refused with a message that names the
 * limit.
 */
const MAX_EXPORT_ROWS = 200_000

type Template = 'export' | 'import' | 'update'

/** GET {list}?format=csv|xlsx[&template=import|update] (spec B7.42, B7.43). Sends the file. */
export async function sendExport(
  resource: MountedResource,
  context: ReadContext,
  reply: FastifyReply,
): Promise<Buffer> {
  const type = spreadsheetType(context.query.format)
  const template = templateOf(context.query.template)
  const columns = columnsFor(resource.definition, template)
  const header = headersOf(resource.definition, columns, template, context.call)
  const rows =
    template === 'import'
      ? [columns.map((name) => sampleCell(resource.definition.fields, name, context.call))]
      : await exportedRows(resource, columns, context)
  const file = await writeSpreadsheet([header, ...rows], type)
  if (template !== 'import') {
    const { kernel, db, call } = context
    const { label } = resource.definition
    await kernel.audit.record(db, call, [
      { action: 'export', resourceType: label, resource: `${rows.length} (${type})`, orgId: call.org.id },
    ])
  }
  reply.header(
    'Content-Disposition',
    `attachment; filename="${resource.definition.name}_${timeStamp(context.call)}.${type}"`,
  )
  reply.type(
    type === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  )
  return file
}

function spreadsheetType(format: string | undefined): SpreadsheetType {
  if (format === 'csv' || format === 'xlsx') return format
  throw refused('bad_request', 'format must be csv or xlsx')
}

function templateOf(template: string | undefined): Template {
  if (!template) return 'export'
  if (template === 'export' || template === 'import' || template === 'update') return template
  throw refused('bad_request', 'template must be export, import or update')
}

/**
 * Import: writable fields without id; update: the same with id; export: readable fields. Never
 * org_id.
 */
function columnsFor(definition: ResourceDefinition, template: Template): string[] {
  const names = Object.keys(definition.fields).filter((name) => name !== 'org_id')
  const is = (name: string) => definition.fields[name] as Field
  if (template === 'export') return [...(definition.exportColumns ?? names.filter((name) => !is(name).writeOnly))]
  const writable = definition.importColumns ?? names.filter((name) => name !== 'id' && !is(name).readOnly)
  return template === 'update' ? ['id', ...writable] : [...writable]
}

/** The field's label, with a star where a value is required. */
export function headerOf(field: Field, template: Template, { language }: Call): string {
  const label = translate(language, field.label)
  return field.required && template !== 'export' ? `*${label}` : label
}

/**
 * A title for each column. Where several have the same label, as a value and its display, the one
 * that can be written keeps it, so that its file can be imported; the others get their field names.
 */
function headersOf(
  definition: ResourceDefinition,
  columns: readonly string[],
  template: Template,
  call: Call,
): string[] {
  const fields = columns.map((name) => definition.fields[name] as Field)
  const labels = fields.map((field) => headerOf(field, template, call))
  const keeper = (label: string) => {
    const same = [...labels.keys()].filter((at) => labels[at] === label)
    return same.find((at) => !fields[at]?.readOnly) ?? same[0]
  }
  return labels.map((label, at) => (keeper(label) === at ? label : `${label} (${columns[at]})`))
}

/** What an export of a resource holds, titles first. Callers see to it that whoever gets it may. */
export async function exportedSheet(resource: MountedResource, context: ReadContext): Promise<Cell[][]> {
  const columns = columnsFor(resource.definition, 'export')
  return [
    headersOf(resource.definition, columns, 'export', context.call),
    ...(await exportedRows(resource, columns, context)),
  ]
}

async function exportedRows(
  resource: MountedResource,
  columns: readonly string[],
  context: ReadContext,
): Promise<Cell[][]> {
  const readable = columns.filter((name) => !resource.definition.fields[name]?.writeOnly)
  const rows: Cell[][] = []
  const limit = context.query.limit ? Number(context.query.limit) : MAX_EXPORT_ROWS + 1
  // One snapshot for all batches: rows that are added or deleted meanwhile are neither doubled nor
  // missed.
  await context.db.transaction(
    async (db) => {
      const inside = { ...context, db }
      const source = await sourceOf(resource, inside)
      for (let offset = 0; offset < limit; offset += BATCH) {
        const stored = await source.rows({ limit: Math.min(BATCH, limit - offset), offset })
        for (const row of await presentRows(resource, stored, readable, inside))
          rows.push(columns.map((name) => cellOf(row[name])))
        if (rows.length > MAX_EXPORT_ROWS)
          throw refused('too_large', 'An export holds at most 200000 rows: narrow it by filters.')
        if (stored.length < BATCH) break
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return rows
}

/** Lists and objects are written as JSON, which the import reads back. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

/** An example of a value in that column. */
function sampleCell(fields: Fields, name: string, call: Call): Cell {
  const field = fields[name] as Field
  if (field.shapeBy) {
    const shape = shapeOf(field, sampleCell(fields, field.shapeBy, call))
    const writable = Object.keys(shape).filter((key) => !shape[key]?.readOnly)
    return JSON.stringify(Object.fromEntries(writable.map((key) => [key, sampleCell(shape, key, call)])))
  }
  const value = field.default === undefined ? undefined : defaultOf(field)
  if (value instanceof Date) return formatDateTime(value, call.timeZone)
  if (value !== undefined && value !== null && value !== '') return cellOf(value)
  if (field.choices) return Object.keys(field.choices)[0] ?? ''
  return field.required ? translate(call.language, field.label) : ''
}

const timeStamp = ({ timeZone }: Call) =>
  formatDateTime(new Date(), timeZone).slice(0, 19).replaceAll('/', '-').replace(' ', '_').replaceAll(':', '-')
