import { SYSLOG_FACILITIES } from '@sallyport/contract/settings/other.ts'
import type { EventCategory } from '../event-category.ts'

/** An event in the form of the API. */
export interface AuditEvent {
  /** The same when it is sent again; 0 for a test. */
  number: number
  category: EventCategory
  record: Readonly<Record<string, unknown>>
  at: Date
}

export type Format = 'plain' | 'rfc5424' | 'cef' | 'json'

const FACILITIES = Object.keys(SYSLOG_FACILITIES)
const INFO = 6
const WARNING = 4
/** Receivers cut what is longer, and what is cut is no JSON any more. */
const MAX_RECORD_BYTES = 7_500
const MAX_TEXT = 256
const BOM = '\uFEFF'

export interface Sender {
  /** Name of this node. */
  host: string
  facility: string
  version: string
}

/** One message without its frame. */
export function messageOf(event: AuditEvent, format: Format, { host, facility, version }: Sender): string {
  const json = JSON.stringify(withinBounds(event.record))
  if (format === 'json')
    return `{"number":${event.number},"category":"${event.category}","date":"${event.at.toISOString()}","record":${json}}`
  const priority = FACILITIES.indexOf(facility) * 8 + (isBad(event.record) ? WARNING : INFO)
  // docs/rules/audits.md#syslog: '<category> - <json of the API form>'
  if (format === 'plain') return `<${priority}>sallyport: ${event.category} - ${json}`
  const head = `<${priority}>1 ${event.at.toISOString()} ${word(host)} sallyport ${process.pid} ${event.category}`
  if (format === 'cef') return `${head} - ${BOM}${cefOf(event, json, version)}`
  const id = typeof event.record.id === 'string' ? `[event@32473 id="${parameter(event.record.id)}"]` : '-'
  return `${head} ${id} ${BOM}${event.category} - ${json}`
}

/** A name in a header: printable ASCII without blanks. */
const word = (text: string) => text.replace(/[^!-~]/g, '_').slice(0, 255) || '-'
/** RFC 5424, 6.3.3. */
const parameter = (text: string) => text.replace(/["\\\]]/g, '\\$&')

/** What somebody should look at: refused, failed or dangerous. */
const isBad = (record: AuditEvent['record']) =>
  record.status === false ||
  record.is_success === false ||
  record.outcome === 'refused' ||
  record.outcome === 'failed' ||
  Number(record.risk_level) > 0

/** Whole where it fits; else without the list of what was changed, and then with long texts cut. */
function withinBounds(record: AuditEvent['record']): AuditEvent['record'] {
  const fits = (some: AuditEvent['record']) => Buffer.byteLength(JSON.stringify(some)) <= MAX_RECORD_BYTES
  if (fits(record)) return record
  const { changes: _, ...rest } = record
  if (fits(rest)) return { ...rest, truncated: true }
  const cut = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT).toWellFormed()}…` : value,
  ])
  return { ...Object.fromEntries(cut), truncated: true }
}

const CEF_NAMES: Readonly<Record<EventCategory, string>> = {
  login_log: 'Sign-in',
  operation_log: 'Operation',
  ftp_log: 'File transfer',
  password_change_log: 'Password change',
  host_session_log: 'Session',
  session_command_log: 'Command',
  forwarded_connection_log: 'Forwarded connection',
  audit_root: 'Audit root',
  test: 'Test',
}

/** The keys that ArcSight defines, by the fields of our records. */
const CEF_KEYS: readonly (readonly [key: string, fields: readonly string[]])[] = [
  ['externalId', ['id']],
  ['suser', ['username', 'user']],
  ['src', ['remote_addr', 'ip']],
  ['dhost', ['asset']],
  ['duser', ['system_user']],
  ['act', ['action', 'operate', 'type_display', 'type']],
  ['fname', ['filename']],
  ['app', ['protocol']],
  ['requestClientApplication', ['user_agent']],
  ['reason', ['reason_display']],
]

function cefOf({ category, record, at }: AuditEvent, json: string, version: string): string {
  const found = CEF_KEYS.flatMap(([key, fields]) => {
    const name = fields.find((field) => record[field] !== undefined && record[field] !== null && record[field] !== '')
    return name ? [[key, String(record[name])]] : []
  })
  const extension = [['rt', String(at.getTime())], ...found, ['cs1Label', 'record'], ['cs1', json]]
  const words = extension.map(
    ([key, value = '']) => `${key}=${value.replace(/[\\=]/g, '\\$&').replace(/\r\n|[\r\n]/g, '\\n')}`,
  )
  const header = ['Sallyport', 'Sallyport', version, category, CEF_NAMES[category]]
  const severity = isBad(record) ? 7 : 3
  return `CEF:0|${header.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|')}|${severity}|${words.join(' ')}`
}
