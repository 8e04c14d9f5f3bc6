import type {
  MonitorAlarm,
  MonitorNode,
  MonitorNow,
  MonitorStorage,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { desc, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import type { Page } from '../../kernel/resource/query.ts'
import { settingsOf } from '../settings/index.ts'
import { storageFaultWords } from '../terminal/storages/index.ts'
import { limitsOf } from './alarms.ts'
import { SILENT_DAYS } from './judge.ts'
import { newestFigures } from './sample.ts'
import { monitorAlarm, monitorStorage } from './tables.ts'
import { alarmWords } from './words.ts'

/** A running node says so every ten seconds. */
const SILENT_SECONDS = 60

/** How everything is, at this moment. */
export async function monitorNow(kernel: Kernel, call: Call): Promise<MonitorNow> {
  const [alarms, newest, nodes, storages] = await Promise.all([
    readAlarms(kernel, call, isNull(monitorAlarm.date_closed)),
    newestFigures(kernel),
    readNodes(kernel, call),
    readStorages(kernel, call),
  ])
  const shared = newest.get('')
  const withFigures = nodes.map((node) => ({ ...node, figures: newest.get(node.id)?.figures ?? null }))
  const isWrong =
    alarms.length > 0 || nodes.some(({ state }) => state === 'silent') || storages.some((one) => one.is_away)
  return {
    state: isWrong ? 'attention' : shared ? 'healthy' : 'unknown',
    date: shared ? formatDateTime(shared.at, call.timeZone) : null,
    alarms,
    nodes: withFigures,
    figures: shared?.figures ?? null,
    storages,
    limits: limitsOf(kernel),
    alarm_minutes: settingsOf(kernel).get('MONITOR_ALARM_MINUTES'),
  }
}

interface StoredNode extends Record<string, unknown> {
  id: string
  name: string
  roles: string[]
  /** One that has been silent for long was taken away, as alarms see it, too. */
  is_running: boolean
  is_silent: boolean
  date_seen: string
}

async function readNodes({ db }: Kernel, call: Call): Promise<Omit<MonitorNode, 'figures'>[]> {
  const { rows } = await db.execute<StoredNode>(sql`
    SELECT id, name, roles, is_running AND date_seen > now() - make_interval(days => ${SILENT_DAYS}) AS is_running,
      date_seen, date_seen < now() - make_interval(secs => ${SILENT_SECONDS}) AS is_silent
    FROM kernel_node ORDER BY is_running DESC, name`)
  return rows.map(({ is_running, is_silent, date_seen, ...row }) => ({
    ...row,
    state: is_running ? (is_silent ? 'silent' : 'running') : 'stopped',
    date_seen: formatDateTime(new Date(date_seen), call.timeZone),
  }))
}

async function readStorages({ db }: Kernel, { language, timeZone }: Call): Promise<MonitorStorage[]> {
  const rows = await db.select().from(monitorStorage).orderBy(desc(monitorStorage.is_away), monitorStorage.name)
  return rows.map(({ fault, answer, date_since, date_checked, ...row }) => ({
    ...row,
    error: row.is_away ? storageFaultWords({ fault, answer, isCluster: row.kind === 'command' }, language) : '',
    date_since: formatDateTime(date_since, timeZone),
    date_checked: formatDateTime(date_checked, timeZone),
  }))
}

/** Alarms that are over, the newest first. */
export async function pastAlarms(
  kernel: Kernel,
  call: Call,
  page: Page,
): Promise<{ count: number; results: MonitorAlarm[] }> {
  const isOver = isNotNull(monitorAlarm.date_closed)
  const results = await readAlarms(kernel, call, isOver, page)
  return { count: await kernel.db.$count(monitorAlarm, isOver), results }
}

async function readAlarms(
  { db }: Kernel,
  { language, timeZone }: Call,
  which: SQL,
  page: Page = { limit: 200, offset: 0 },
): Promise<MonitorAlarm[]> {
  const rows = await db
    .select()
    .from(monitorAlarm)
    .where(which)
    .orderBy(desc(monitorAlarm.date_opened), desc(monitorAlarm.id))
    .limit(page.limit)
    .offset(page.offset)
  const inZone = (date: Date) => formatDateTime(date, timeZone)
  return rows.map(({ limit_value, date_opened, date_closed, date_seen: _, ...row }) => ({
    ...row,
    text: alarmWords((english, values) => translate(language, english, values), row),
    limit: limit_value,
    date_opened: inZone(date_opened),
    date_closed: date_closed && inZone(date_closed),
  }))
}
