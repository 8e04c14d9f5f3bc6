import { type PastAlarm, type PastFigures, storePast } from '../domains/monitor/index.ts'
import type { Kernel } from '../kernel/kernel.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DAYS = 30
const QUARTER = 15
const MORNING_UTC = 1
const WORKING_HOURS = 9
/** The day on which many came back at once after lunch. */
const BUSY_DAYS_AGO = 6
const BUSY_HOUR = 13

/** Figures of the last month, for charts with a past: each day begins, is busy, and ends. */
export async function seedMonitored({ db, nodes }: Kernel): Promise<void> {
  const now = Math.floor(Date.now() / (QUARTER * MINUTE_MS)) * QUARTER * MINUTE_MS
  const figures: PastFigures[] = []
  for (let at = now - DAYS * DAY_MS; at < now; at += QUARTER * MINUTE_MS)
    figures.push(...figuresAt(nodes.id, new Date(at), QUARTER, now))
  for (let at = now - DAY_MS; at < now; at += MINUTE_MS) figures.push(...figuresAt(nodes.id, new Date(at), 1, now))
  await storePast(db, figures, [busyLunch(nodes, now)])
}

function figuresAt(node: string, at: Date, minutes: number, now: number): PastFigures[] {
  const load = loadAt(at, now)
  const age = (now - at.getTime()) / DAY_MS
  const sessions = Math.round(load * 14)
  return [
    {
      node,
      at,
      minutes,
      figures: {
        sessions,
        cpu: rounded(Math.min(98, 4 + load * 70)),
        memory: rounded(41 + load * 18),
        disk: rounded(62 - age * 0.4),
        disk_free: 80e9 + age * 8e8,
        process_memory: 210e6 + load * 130e6,
        loop_delay: rounded(1 + load * 14),
        database_delay: rounded(0.6 + load * 3),
      },
    },
    {
      node: null,
      at,
      minutes,
      figures: {
        sessions,
        database_bytes: 94e6 - age * 1.4e6,
        database_connections: Math.round(6 + load * 10),
        jobs_waiting: Math.round(load * 3),
        jobs_oldest: Math.round(load * 5),
        jobs_failed: load > 0.8 ? 1 : 0,
        recordings_waiting: 0,
        recordings_oldest: 0,
        commands_waiting: 0,
        commands_oldest: 0,
        events_waiting: 0,
        events_oldest: 0,
        events_dropped: 0,
        storages_away: 0,
      },
    },
  ]
}

/** From 0 to 1 and a little more: nights and weekends are quiet, and no minute is like another. */
function loadAt(at: Date, now: number): number {
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60 - MORNING_UTC
  const isWeekend = at.getUTCDay() % 6 === 0
  const day = hour > 0 && hour < WORKING_HOURS ? Math.sin((hour / WORKING_HOURS) * Math.PI) : 0
  const minute = at.getTime() / MINUTE_MS
  const swing = 0.04 * (Math.sin(minute / 3.1) + Math.sin(minute / 7.7) + 2)
  const isBusy = isBusyLunch(at, now) ? 1.1 : 0
  return day * (isWeekend ? 0.15 : 0.6) + swing + isBusy
}

const busyDay = (now: number) =>
  new Date(Math.floor(now / DAY_MS - BUSY_DAYS_AGO) * DAY_MS + BUSY_HOUR * 60 * MINUTE_MS)

const isBusyLunch = (at: Date, now: number) => {
  const since = at.getTime() - busyDay(now).getTime()
  return since >= 0 && since < 60 * MINUTE_MS
}

function busyLunch({ id, name }: Kernel['nodes'], now: number): PastAlarm {
  const from = busyDay(now).getTime()
  const to = new Date(from + 65 * MINUTE_MS)
  return { kind: 'cpu', subject: id, name, value: 96.4, limit: 90, from: new Date(from + 5 * MINUTE_MS), to }
}

const rounded = (value: number) => Math.round(value * 10) / 10
