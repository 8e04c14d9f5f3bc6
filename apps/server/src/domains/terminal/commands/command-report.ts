import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import { HTML_LANGUAGES } from '../../../kernel/i18n/language-of.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { presentRows } from '../../../kernel/resource/present.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { sameQuery, unwatched } from '../../../kernel/watched-query.ts'
import { escapeHtml } from '../../notifications/index.ts'
import { ofAllStorages, sourceOfAll } from './command-source.ts'

/** Where the query names no time (docs/rules/terminal.md#command). */
const DAYS = 5
/** Kept in memory as a page; the export of the list takes more. */
const MAX_ROWS = 20_000
const COLUMNS = [
  'input',
  'output',
  'user',
  'asset',
  'system_user',
  'session',
  'risk_level_display',
  'timestamp',
] as const

/**
 * GET commands/export/: the commands of all storages that match, as a page of HTML to keep.
 */
export function registerCommandReport(kernel: Kernel, commands: MountedResource): void {
  kernel.app.route({
    method: 'GET',
    url: `${command.path}export/`,
    config: { access: command.permission.list, summary: 'Command: report as a page', answers: 'html' },
    handler: async (request, reply) => {
      const { call } = request
      const context = contextOf(kernel, request)
      const rows = await reportedRows(commands, context)
      await kernel.audit.record(kernel.db, call, [
        { action: 'export', resourceType: command.label, resource: `${rows.length} (html)`, orgId: call.org.id },
      ])
      reply.header('Content-Disposition', attachment(`command-report-${Math.floor(Date.now() / 1000)}.html`))
      return reply.type('text/html; charset=utf-8').send(pageOf(rows, context))
    },
  })
}

/** Throws 400 for more rows than a page should have. */
async function reportedRows(commands: MountedResource, context: ReadContext): Promise<Record<string, unknown>[]> {
  const { query } = context
  const since = Math.floor(Date.now() / 1000) - DAYS * 86_400
  const { command_storage_id: _, ...filters } = unwatched(query) as Record<string, string>
  const dates: Record<string, string> = query.date_from || query.date_to ? {} : { date_from: String(since) }
  const asked = ofAllStorages({ ...context, query: sameQuery(query, { ...filters, ...dates }) })
  const stored = await (await sourceOfAll(commands, asked)).rows({ limit: MAX_ROWS + 1, offset: 0 })
  if (stored.length > MAX_ROWS)
    throw refused('too_large', 'A report holds at most 20000 commands: narrow it by filters.')
  return presentRows(commands, stored, COLUMNS, asked)
}

/** The look of the console's pages, on the screen and on paper: all text is there, heads on each sheet. */
const STYLES = `
@page{margin:12mm}
body{margin:24px;color:#16202a;font:13px/1.5 system-ui,sans-serif}
h1{font-size:20px;font-weight:600}
table{width:100%;border-collapse:collapse}
th,td{padding:4px 8px;border-bottom:1px solid #d3d9df;text-align:left;vertical-align:top}
th{color:#56636f;font-weight:500;white-space:nowrap}
tr{break-inside:avoid}
pre{margin:0;font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
@media print{body{margin:0}}
`

function pageOf(rows: readonly Record<string, unknown>[], { call }: ReadContext): string {
  const { language, timeZone } = call
  const title = escapeHtml(translate(language, command.label))
  const heads = COLUMNS.map((name) => `<th>${escapeHtml(titleOf(name, language))}</th>`).join('')
  const text = (name: (typeof COLUMNS)[number], value: unknown) =>
    name === 'timestamp' ? formatDateTime(new Date(Number(value) * 1000), timeZone) : String(value ?? '')
  const lines = rows.map(
    (row) => `<tr>${COLUMNS.map((name) => `<td><pre>${escapeHtml(text(name, row[name]))}</pre></td>`).join('')}</tr>`,
  )
  return `<!doctype html>
<html lang="${HTML_LANGUAGES[language]}"><head><meta charset="utf-8"><title>${title}</title><style>${STYLES}</style></head>
<body><h1>${title}</h1><table><thead><tr>${heads}</tr></thead><tbody>
${lines.join('\n')}
</tbody></table></body></html>
`
}

const titleOf = (name: (typeof COLUMNS)[number], language: Language) => translate(language, command.fields[name].label)
