/**
 * The figures that the system monitor keeps and judges (docs/rules/xpack.md#system_monitor,
 * docs/monitoring.md).
 */

export const SYSTEM_MONITOR_PATH = '/api/v1/xpack/system-monitor/'

export type FigureUnit = 'count' | 'percent' | 'bytes' | 'milliseconds' | 'seconds'

/** Figures of each node, once a minute. */
export const NODE_FIGURES = {
  sessions: 'count',
  cpu: 'percent',
  memory: 'percent',
  disk: 'percent',
  disk_free: 'bytes',
  process_memory: 'bytes',
  loop_delay: 'milliseconds',
  database_delay: 'milliseconds',
} as const satisfies Readonly<Record<string, FigureUnit>>

/** Figures of the installation, once a minute. */
export const SHARED_FIGURES = {
  sessions: 'count',
  database_bytes: 'bytes',
  database_connections: 'count',
  jobs_waiting: 'count',
  jobs_oldest: 'seconds',
  jobs_failed: 'count',
  recordings_waiting: 'count',
  recordings_oldest: 'seconds',
  commands_waiting: 'count',
  commands_oldest: 'seconds',
  events_waiting: 'count',
  events_oldest: 'seconds',
  events_dropped: 'count',
  storages_away: 'count',
} as const satisfies Readonly<Record<string, FigureUnit>>

export type NodeFigure = keyof typeof NODE_FIGURES
export type SharedFigure = keyof typeof SHARED_FIGURES
export type Figures<Name extends string> = Readonly<Partial<Record<Name, number>>>

/**
 * The figures that have a limit: the setting that says it, and what one of it is in the figure's own
 * unit. A limit of 0 raises no alarm.
 */
export const NODE_LIMITS = {
  cpu: ['MONITOR_CPU_PERCENT', 1],
  memory: ['MONITOR_MEMORY_PERCENT', 1],
  disk: ['MONITOR_DISK_PERCENT', 1],
  loop_delay: ['MONITOR_LOOP_MS', 1],
  database_delay: ['MONITOR_DATABASE_MS', 1],
  sessions: ['MONITOR_SESSIONS', 1],
} as const satisfies Partial<Record<NodeFigure, readonly [setting: string, size: number]>>
export const SHARED_LIMITS = {
  database_bytes: ['MONITOR_DATABASE_GB', 1e9],
  jobs_oldest: ['MONITOR_JOBS_MINUTES', 60],
  jobs_failed: ['MONITOR_JOBS_FAILED', 1],
  recordings_oldest: ['MONITOR_UPLOAD_MINUTES', 60],
  commands_oldest: ['MONITOR_UPLOAD_MINUTES', 60],
  events_oldest: ['MONITOR_UPLOAD_MINUTES', 60],
} as const satisfies Partial<Record<SharedFigure, readonly [setting: string, size: number]>>

export type LimitedFigure = keyof typeof NODE_LIMITS | keyof typeof SHARED_LIMITS
/** Why there is an alarm: a figure beyond its limit, or one of these. */
export type AlarmKind = LimitedFigure | 'node_silent' | 'storage_away' | 'events_dropped'

export interface MonitorAlarm {
  id: string
  kind: AlarmKind
  /** The node, storage or nothing that it is about. */
  subject: string
  /** The fault, in the caller's language. */
  text: string
  /** The worst figure while it lasted, and the limit; null where there is none to speak of. */
  value: number | null
  limit: number | null
  date_opened: string
  /** Null while it lasts. */
  date_closed: string | null
}

export interface MonitorNode {
  id: string
  name: string
  roles: readonly string[]
  /** Silent: it has not said goodbye, and is not heard of. */
  state: 'running' | 'silent' | 'stopped'
  date_seen: string
  /** The newest, of the last minutes; null where there are none. */
  figures: Figures<NodeFigure> | null
}

export type StorageKind = 'replay' | 'command' | 'recordings'

export interface MonitorStorage {
  id: string
  /** `recordings` is the store that all nodes share, by the settings of the start. */
  kind: StorageKind
  name: string
  is_away: boolean
  /** Why, in the caller's language. */
  error: string
  /** Since when it is as it is. */
  date_since: string
  date_checked: string
}

export interface MonitorNow {
  /** `unknown` before the first figures. */
  state: 'healthy' | 'attention' | 'unknown'
  /** When the figures were taken. */
  date: string | null
  alarms: readonly MonitorAlarm[]
  nodes: readonly MonitorNode[]
  figures: Figures<SharedFigure> | null
  storages: readonly MonitorStorage[]
  /** In the figures' own units; without those that are switched off. */
  limits: Readonly<Partial<Record<LimitedFigure, number>>>
  alarm_minutes: number
}

/** How far back a chart goes, and how much one of its points covers, both in minutes. */
export const MONITOR_RANGES = {
  hour: { minutes: 60, step: 1, kept: 1 },
  day: { minutes: 1440, step: 5, kept: 1 },
  week: { minutes: 7 * 1440, step: 30, kept: 15 },
  month: { minutes: 30 * 1440, step: 120, kept: 15 },
} as const
export type MonitorRange = keyof typeof MONITOR_RANGES

/** One node's figures over time, or the installation's. */
export interface MonitorHistory {
  /** First moment of the range, in milliseconds since 1970; each point covers `step` minutes from there on. */
  from: number
  step: number
  points: number
  /** By figure: its mean and its highest in each point; null where nothing was measured. */
  series: Readonly<Record<string, { mean: (number | null)[]; peak: (number | null)[] }>>
}

/** State of a component type (docs/rules/terminal.md#component_metrics). */
export const COMPONENT_COUNTS_PATH = '/api/v1/terminal/components/metrics/'
export interface ComponentCounts {
  type: string
  total: number
  normal: number
  high: number
  critical: number
  offline: number
  session_active: number
}
