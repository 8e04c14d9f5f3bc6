import { arriveCommands } from '../../../domains/terminal/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { int, text, uuid } from '../values.ts'
import { importHistory } from './history.ts'

const COLUMNS = ['org_id', 'user', 'asset', 'system_user', 'account', 'input', 'output', 'session', 'risk_level']
/** Rejected, or reviewed and not let through. */
const DANGEROUS = new Set([5, 6, 8])
const LAST_SECOND = 253_402_300_799

/** Commands; also those whose session has not come. What was kept in Elasticsearch is not in the database. */
export const importCommands = (context: ImportContext): Promise<void> =>
  importHistory(context, {
    label: 'Past commands',
    table: 'terminal.command',
    columns: COLUMNS,
    time: 'timestamp',
    isSeconds: true,
    keptBy: 'TERMINAL_SESSION_KEEP_DURATION',
    rowOf: (row, notes) => commandOf(context, row, notes),
    arrive: arriveCommands,
  })

function commandOf({ ids, version }: ImportContext, row: SourceRow, notes: KindNotes): ArrivingRow | undefined {
  const id = uuid(row.id)
  if (!id) return undefined
  const org = ids.organization(row.org_id)
  if (!org) {
    notes.staysBehind(id, ORGANIZATION_GONE)
    return undefined
  }
  const values = {
    ...{ org_id: org, user: text(row.user, 128), asset: text(row.asset, 128) },
    system_user: text(version.model === 2 ? row.system_user : row.account, 128),
    ...{ input: text(row.input, 128), output: text(row.output, 1024) },
    session: uuid(row.session) ?? text(row.session, 36),
    risk_level: DANGEROUS.has(int(row.risk_level, 0, 100, 0)) ? 5 : 0,
    timestamp: int(row.timestamp, 0, LAST_SECOND, 0),
  }
  return { key: id, id, name: id, values }
}
