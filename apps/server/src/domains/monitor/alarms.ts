import {
  type AlarmKind,
  type LimitedFigure,
  NODE_LIMITS,
  SHARED_LIMITS,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notifySubscribers } from '../notifications/index.ts'
import { type SettingName, settingsOf } from '../settings/index.ts'
import { licenseOf } from '../xpack/index.ts'
import { type Finding, judge, type Minute, type Observed, type OpenAlarm, type Verdict } from './judge.ts'
import { monitorAlarm, monitorSample, monitorStorage } from './tables.ts'
import { alarmWords } from './words.ts'

/** The limits of now, in the figures' own units. */
export function limitsOf(kernel: Kernel): Partial<Record<LimitedFigure, number>> {
  const settings = settingsOf(kernel)
  return Object.fromEntries(
    Object.entries({ ...NODE_LIMITS, ...SHARED_LIMITS }).flatMap(([figure, [setting, size]]) => {
      const limit = Number(settings.get(setting as SettingName)) * size
      return limit ? [[figure, limit]] : []
    }),
  )
}

/** Opens, keeps up and closes alarms by what was measured, and tells subscribers of new ones. */
export async function judgeNow(kernel: Kernel, at: Date): Promise<void> {
  const observed = await observe(kernel, at)
  const verdict = judge(observed)
  await close(kernel, observed, verdict)
  const fresh = await open(kernel, observed, verdict)
  // An offline node with sessions is reported with the components (domains/terminal/alarms.ts).
  const carriers = new Set(observed.nodes.flatMap(({ id, terminal }) => (terminal ? [id] : [])))
  await tell(
    kernel,
    fresh.filter(({ kind, subject }) => kind !== 'node_silent' || !carriers.has(subject.id)),
  )
}

/** As JSON has them: dates are texts. */
interface Standing extends Record<string, unknown> {
  nodes: { id: string; name: string; terminal: string | null; is_running: boolean; date_seen: string }[]
  storages: { id: string; name: string; is_away: boolean; date_since: string }[]
  open: { id: string; kind: AlarmKind; subject: string; value: number | null; date_seen: string }[]
  dropped: number | null
}

/** All that is judged by, in two statements. What was seen later is not this minute's business: a node may be slow. */
async function observe(kernel: Kernel, at: Date): Promise<Observed> {
  const { db } = kernel
  const minutes = settingsOf(kernel).get('MONITOR_ALARM_MINUTES')
  const now = sql`${at.toISOString()}::timestamptz`
  // One more than it takes: a minute may be missing, and another node late with the newest.
  const { rows } = await db.execute<{ node: string | null; at: string; figures: Minute['figures'] }>(sql`
    SELECT node, at, figures FROM ${monitorSample}
    WHERE minutes = 1 AND at <= ${now} AND at > ${now} - make_interval(mins => ${minutes + 1}) ORDER BY at DESC`)
  const all = (from: SQL) => sql`(SELECT coalesce(jsonb_agg(one), '[]') FROM (${from}) AS one)`
  const { rows: standing } = await db.execute<Standing>(sql`SELECT
    ${all(sql`SELECT id, name, terminal, is_running, date_seen FROM kernel_node`)} AS nodes,
    ${all(sql`SELECT id, name, is_away, date_since FROM ${monitorStorage}`)} AS storages,
    ${all(sql`SELECT id, kind, subject, value, date_seen FROM ${monitorAlarm} WHERE date_closed IS NULL
      AND date_seen <= ${now}`)} AS open,
    (SELECT (figures->>'events_dropped')::float8 FROM ${monitorSample}
      WHERE minutes = 1 AND node IS NULL AND at < ${now} ORDER BY at DESC LIMIT 1) AS dropped`)
  const { nodes = [], storages = [], open = [], dropped = null } = standing[0] ?? {}
  return {
    at,
    minutes,
    limits: limitsOf(kernel),
    nodes: nodes.map((node) => ({ ...node, date_seen: new Date(node.date_seen) })),
    storages: storages.map((storage) => ({ ...storage, date_since: new Date(storage.date_since) })),
    samples: Map.groupBy(
      rows.map((row) => ({ ...row, at: new Date(row.at) })),
      (row) => row.node ?? '',
    ),
    droppedBefore: dropped ?? undefined,
    open: open.map((one) => ({ ...one, date_seen: new Date(one.date_seen) })),
  }
}

const keyOf = (kind: AlarmKind, subject: string) => `${kind} ${subject}`

/** Closes what is over, and notes the worst of what is not. */
async function close({ db }: Kernel, { at, open }: Observed, { wrong, undecided }: Verdict): Promise<void> {
  const now = sql`${at.toISOString()}::timestamptz`
  const standing = new Map(wrong.map((one) => [keyOf(one.kind, one.subject.id), one]))
  const kept = new Set(undecided.map((one) => keyOf(one.kind, one.subject.id)))
  const over = open.filter(({ kind, subject }) => {
    const key = keyOf(kind, subject)
    return !standing.has(key) && !kept.has(key)
  })
  if (over.length)
    await db.execute(
      sql`UPDATE ${monitorAlarm} SET date_closed = ${now} WHERE id = ANY(${sql.param(over.map(({ id }) => id))}::uuid[])`,
    )
  const seen = open.flatMap((one: OpenAlarm) => {
    const found = standing.get(keyOf(one.kind, one.subject))
    return found ? [{ id: one.id, value: Math.max(found.value ?? 0, one.value ?? 0) }] : []
  })
  if (seen.length)
    await db.execute(sql`
      UPDATE ${monitorAlarm} a SET value = CASE WHEN a.value IS NULL THEN NULL ELSE new.value END, date_seen = ${now}
      FROM unnest(${sql.param(seen.map(({ id }) => id))}::uuid[], ${sql.param(seen.map(({ value }) => value))}::float8[]) AS new (id, value)
      WHERE a.id = new.id`)
}

/** Answers those that nobody had opened. */
async function open({ db }: Kernel, { at, open }: Observed, { wrong }: Verdict): Promise<Finding[]> {
  const standing = new Set(open.map(({ kind, subject }) => keyOf(kind, subject)))
  const fresh = wrong.filter(({ kind, subject }) => !standing.has(keyOf(kind, subject.id)))
  if (!fresh.length) return []
  const opened = await db
    .insert(monitorAlarm)
    .values(
      fresh.map(({ kind, subject, value, limit }) => ({
        kind,
        subject: subject.id,
        name: subject.name,
        value,
        limit_value: limit,
        date_opened: at,
        date_seen: at,
      })),
    )
    .onConflictDoNothing()
    .returning({ kind: monitorAlarm.kind, subject: monitorAlarm.subject })
  const mine = new Set(opened.map(({ kind, subject }) => keyOf(kind, subject)))
  return fresh.filter(({ kind, subject }) => mine.has(keyOf(kind, subject.id)))
}

/** One message for all that is new. */
async function tell(kernel: Kernel, fresh: readonly Finding[]): Promise<void> {
  if (!fresh.length) return
  await notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
    subject: say('Server performance alert'),
    paragraphs: fresh.map(({ kind, subject, value }) => alarmWords(say, { kind, name: subject.name, value })),
    // The page needs a license (docs/rules/xpack.md#system_monitor), alarms do not.
    ...(licenseOf(kernel).isValid()
      ? { link: { text: say('Open the system monitor'), path: '/ui/xpack/system-monitor' } }
      : {}),
  }))
}
