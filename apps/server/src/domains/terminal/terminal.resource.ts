import { terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import type { DeleteContext, ReadContext, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { usersAccount } from '../users/index.ts'
import { terminalCommandStorage, terminalReplayStorage, terminalSession, terminalTerminal } from './tables.ts'

type Writing = WriteContext<typeof terminal, typeof terminalTerminal>
type Deleting = DeleteContext<typeof terminalTerminal>

type StoredTerminal = typeof terminalTerminal.$inferSelect
type LoadStatus = 'critical' | 'high' | 'normal' | 'offline'

/**
 * How long after its last heartbeat a component counts as alive, and how long its figures are
 * shown.
 */
const ALIVE_SECONDS = 120
const FIGURES_SECONDS = 180
/**
 * Up to the first figure normal, up to the second high, above it critical: load average, then
 * percent (docs/rules/terminal.md#terminal).
 */
const GRADES = { cpu_load: [5, 20], memory_used: [85, 95], disk_used: [80, 99] } as const

export default function mountTerminal(kernel: Kernel): void {
  mountResource(kernel, terminal, {
    table: terminalTerminal,
    filters: { status: statusFilter },
    computed: [
      { fields: ['session_online', 'is_active', 'is_alive', 'status', 'status_display', 'stat'], load: loadState },
    ],
    rules: { beforeWrite: [nameStorages], beforeDelete: [refuseWithLiveSessions] },
  })
}

/** Seconds since the last heartbeat of a component; infinite without one. */
export type Silences = (terminal: Pick<StoredTerminal, 'id'>) => number

/** How long each component has been silent, by the database's clock: any node may have heard it. */
export async function silencesNow(db: Database): Promise<Silences> {
  const { rows } = await db.execute<{ id: string; seconds: number | null }>(
    sql`SELECT id, extract(epoch FROM now() - date_last_seen)::float8 AS seconds FROM terminal_terminal`,
  )
  const silences = new Map(rows.map(({ id, seconds }) => [id, seconds ?? Number.POSITIVE_INFINITY]))
  return ({ id }) => silences.get(id) ?? Number.POSITIVE_INFINITY
}

/** The worst state among a component's figures. */
export function loadStatus(row: StoredTerminal, silence: Silences): LoadStatus {
  if (silence(row) > FIGURES_SECONDS) return 'offline'
  const grades = Object.entries(GRADES).map(([name, [normal, high]]) => {
    const value = row[name as keyof typeof GRADES]
    return value <= normal ? 0 : value <= high ? 1 : 2
  })
  return (['normal', 'high', 'critical'] as const)[Math.max(...grades) as 0 | 1 | 2]
}

/**
 * The faults of a component: offline, or figures above normal, rounded. One that never reported has
 * none.
 */
export function alarmingFigures(
  row: StoredTerminal,
  silence: Silences,
): { kind: 'offline' | keyof typeof GRADES; value: number }[] {
  if (!row.date_last_seen) return []
  if (silence(row) > FIGURES_SECONDS) return [{ kind: 'offline', value: 0 }]
  return (Object.keys(GRADES) as (keyof typeof GRADES)[])
    .filter((kind) => row[kind] > GRADES[kind][0])
    .map((kind) => ({ kind, value: round(row[kind]) }))
}

const STATUS_LABELS: Record<LoadStatus, string> = {
  critical: 'Critical',
  high: 'High',
  normal: 'Normal',
  offline: 'Offline',
}
const round = (value: number) => Math.round(value * 10) / 10

async function loadState(
  rows: readonly StoredTerminal[],
  { db, call }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const online = await liveSessionsOf(
    db,
    rows.map(({ id }) => id),
  )
  const users = rows.flatMap(({ user_id }) => (user_id ? [user_id] : []))
  const { rows: active } = users.length
    ? await db.execute<{ id: string }>(
        sql`SELECT id FROM ${usersAccount} WHERE is_active AND id = ANY(${sql.param(users)}::uuid[])`,
      )
    : { rows: [] }
  const activeUsers = new Set(active.map(({ id }) => id))
  const silence = await silencesNow(db)
  return rows.map((row) => {
    const status = loadStatus(row, silence)
    const { id, cpu_load, memory_used, disk_used } = row
    const session_online = online.get(id) ?? 0
    return {
      session_online,
      is_active: row.is_builtin || (row.user_id !== null && activeUsers.has(row.user_id)),
      is_alive: silence(row) <= ALIVE_SECONDS,
      status,
      status_display: translate(call.language, STATUS_LABELS[status]),
      stat:
        status === 'offline'
          ? null
          : {
              id,
              cpu_load: round(cpu_load),
              memory_used: round(memory_used),
              disk_used: round(disk_used),
              session_online,
              date_created: null,
              terminal: id,
            },
    }
  })
}

async function liveSessionsOf(db: Database, ids: readonly string[]): Promise<Map<string | null, number>> {
  if (!ids.length) return new Map()
  const counts = await db
    .select({ terminal: terminalSession.terminal, count: sql<number>`count(*)::int` })
    .from(terminalSession)
    .where(sql`NOT ${terminalSession.is_finished} AND ${inArray(terminalSession.terminal, [...ids])}`)
    .groupBy(terminalSession.terminal)
  return new Map(counts.map((row) => [row.terminal, row.count]))
}

/** Computed and filtered in memory: there are a handful of components. */
async function statusFilter(value: string, { db }: ReadContext) {
  const rows = await db.select().from(terminalTerminal)
  const silence = await silencesNow(db)
  const ids = rows.filter((row) => loadStatus(row, silence) === value).map(({ id }) => id)
  return ids.length ? inArray(terminalTerminal.id, ids) : NOTHING
}

/** Storages may be given by id or name, and are stored by name. Throws 400 on the field. */
async function nameStorages({ draft, db }: Writing): Promise<void> {
  for (const [field, table] of [
    ['command_storage', terminalCommandStorage],
    ['replay_storage', terminalReplayStorage],
  ] as const) {
    const wanted = draft[field]
    if (typeof wanted !== 'string') continue
    const [storage] = await db
      .select({ name: table.name })
      .from(table)
      .where(isUuid(wanted) ? eq(table.id, wanted) : eq(table.name, wanted))
    if (!storage) throw invalid({ [field]: 'No such storage.' })
    draft[field] = storage.name
  }
}

async function refuseWithLiveSessions({ db, rows }: Deleting): Promise<void> {
  const online = await liveSessionsOf(
    db,
    rows.map((row) => row.id),
  )
  if (online.size) throw refused('have_online_session', 'It still has live sessions: terminate them first.')
}
