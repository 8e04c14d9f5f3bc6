import type { Field, Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FastifyReply } from 'fastify'
import type { Call } from '../access/call.ts'
import { refused } from '../errors/app-error.ts'
import type { Cell, SpreadsheetType } from '../files/spreadsheet.ts'
import { spreadsheetWriter } from '../files/spreadsheet-writer.ts'
import { translate } from '../i18n/translate.ts'
import { producedStream } from '../produced-stream.ts'
import { formatDateTime } from './datetime.ts'
import { readBatches } from './lists/batches.ts'
import type { ReadContext } from './mount.ts'
import type { MountedResource } from './registry.ts'
import { defaultOf } from './schema.ts'
import { shapeOf } from './shapes.ts'

/** Rows of a sheet of a workbook that is put together in memory. */
const MAX_SHEET_ROWS = 200_000

type Template = 'export' | 'import' | 'update'

/**
 * GET {list}?format=csv|xlsx[&template=import|update] (B7.42, B7.43). Sends the file, of any
 * length, while its rows are read. The row of the operate log is written before anything is sent.
 */
export async function sendExport(
  resource: MountedResource,
  context: ReadContext,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { kernel, call } = context
  const { name, label, fields } = resource.definition
  const type = spreadsheetType(context.query.format)
  const template = templateOf(context.query.template)
  const columns = columnsFor(resource.definition, template)
  const titles = headersOf(resource.definition, columns, template, call)
  const stream = await producedStream(call.user?.id ?? call.remoteAddress, async (write) => {
    const pieces: Buffer[] = []
    const send = async () => {
      const bytes = Buffer.concat(pieces.splice(0))
      if (bytes.length) await write(bytes)
    }
    const file = spreadsheetWriter(type, titles, (bytes) => void pieces.push(bytes))
    if (template === 'import') file.rows([columns.map((column) => sampleCell(fields, column, call))])
    else
      await readExported(resource, columns, context, {
        begin: (count) =>
          kernel.audit.record(kernel.db, call, [
            { action: 'export', resourceType: label, resource: `${count} (${type})`, orgId: call.org.id },
          ]),
        async take(rows) {
          file.rows(rows)
          await send()
        },
      })
    file.end()
    await send()
  })
  reply.header('Content-Disposition', `attachment; filename="${name}_${timeStamp(call)}.${type}"`)
  reply.type(
    type === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  )
  return reply.send(stream)
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

/**
 * The rows of a resource's export, titles first. Callers check the right to read them. Throws 400
 * for more rows than are put together in memory.
 */
export async function exportedSheet(resource: MountedResource, context: ReadContext): Promise<Cell[][]> {
  const columns = columnsFor(resource.definition, 'export')
  const sheet: Cell[][] = [headersOf(resource.definition, columns, 'export', context.call)]
  await readExported(resource, columns, context, {
    async begin(count) {
      if (count > MAX_SHEET_ROWS) throw refused('too_large', 'A sheet holds at most 200000 rows.')
    },
    async take(rows) {
      sheet.push(...rows)
    },
  })
  return sheet
}

function readExported(
  resource: MountedResource,
  columns: readonly string[],
  context: ReadContext,
  { begin, take }: { begin(count: number): Promise<void>; take(rows: Cell[][]): Promise<void> },
): Promise<void> {
  const fields = columns.filter((name) => !resource.definition.fields[name]?.writeOnly)
  const limit = context.query.limit ? Number(context.query.limit) : Number.POSITIVE_INFINITY
  if (!(limit >= 0)) throw refused('bad_request', 'limit must be a whole number')
  return readBatches(
    resource,
    context,
    { fields, limit },
    {
      begin,
      take: (rows) => take(rows.map((row) => columns.map((name) => cellOf(row[name])))),
    },
  )
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
