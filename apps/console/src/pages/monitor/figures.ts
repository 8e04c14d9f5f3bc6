import {
  type FigureUnit,
  NODE_FIGURES,
  type NodeFigure,
  SHARED_FIGURES,
  type SharedFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { formatDuration } from '../../lib/format.ts'
import { languageTag, msg } from '../../lib/i18n.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'

/** The name of a figure, marked with `msg`, and the page that explains it. */
interface Shown {
  title: string
  unit: FigureUnit
  to?: () => string | undefined
}

const tabOf = (route: string, activeTab: string) => () => listOf(route, { activeTab })
const queues = tabOf('JobMonitor', 'Queues')
const jobs = tabOf('JobMonitor', 'Jobs')
const forwarding = tabOf('AuditEvidence', 'Forwarding')
const replayStorages = tabOf('StorageList', 'ReplayStorage')
const commandStorages = tabOf('StorageList', 'CommandStorage')
const sessions = tabOf('SessionList', 'OnlineList')

const NODE_TITLES: Readonly<Record<NodeFigure, string>> = {
  sessions: msg('Live sessions'),
  cpu: msg('CPU'),
  memory: msg('Memory'),
  disk: msg('Disk'),
  disk_free: msg('Free disk space'),
  process_memory: msg('Process memory'),
  loop_delay: msg('Event-loop lag'),
  database_delay: msg('Delay of the database'),
}
const SHARED_TITLES: Readonly<Record<SharedFigure, readonly [title: string, to?: () => string | undefined]>> = {
  sessions: [msg('Live sessions'), sessions],
  database_bytes: [msg('Size of the database')],
  database_connections: [msg('Connections to the database')],
  jobs_waiting: [msg('Jobs due'), queues],
  jobs_oldest: [msg('Oldest job due for'), queues],
  jobs_failed: [msg('Jobs failed in an hour'), jobs],
  recordings_waiting: [msg('Recordings to upload'), replayStorages],
  recordings_oldest: [msg('Oldest recording waits'), replayStorages],
  commands_waiting: [msg('Commands to upload'), commandStorages],
  commands_oldest: [msg('Oldest command waits'), commandStorages],
  events_waiting: [msg('Audit events to send'), forwarding],
  events_oldest: [msg('Oldest event waits'), forwarding],
  events_dropped: [msg('Audit events dropped'), forwarding],
  storages_away: [msg('Unavailable storages'), replayStorages],
}

export const nodeFigure = (name: NodeFigure): Shown => ({
  title: NODE_TITLES[name],
  unit: NODE_FIGURES[name],
  ...(name === 'sessions' ? { to: sessions } : {}),
})

export function sharedFigure(name: SharedFigure): Shown {
  const [title, to] = SHARED_TITLES[name]
  return { title, unit: SHARED_FIGURES[name], ...(to ? { to } : {}) }
}

/** Where an alarm is explained. */
export function explains(kind: string): string | undefined {
  if (kind === 'node_silent') return addressOf('TerminalList')
  if (kind === 'storage_away') return replayStorages()
  return Object.hasOwn(SHARED_TITLES, kind) ? SHARED_TITLES[kind as SharedFigure][1]?.() : undefined
}

const number = (value: number, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(languageTag(), { maximumFractionDigits: 1, ...options }).format(value)

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** The power of 1000 by which bytes are said. */
const powerOf = (bytes: number) =>
  Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))

/** A figure as people read it, with its unit. */
export function formatFigure(unit: FigureUnit, value: number): string {
  switch (unit) {
    case 'percent':
      return number(value / 100, { style: 'percent' })
    case 'bytes': {
      const power = powerOf(value)
      return number(value / 1000 ** power, { style: 'unit', unit: SIZES[power] ?? 'byte', unitDisplay: 'short' })
    }
    case 'milliseconds':
      return number(value, { style: 'unit', unit: 'millisecond', unitDisplay: 'short' })
    case 'seconds':
      return formatDuration(value)
    default:
      return number(value)
  }
}

/** In what the ticks of a chart are counted: whole ones of the unit that the highest is said in. */
export function tickSize(unit: FigureUnit, highest: number): number {
  if (unit === 'bytes') return 1000 ** powerOf(highest)
  if (unit === 'seconds') return highest >= 86_400 ? 86_400 : highest >= 3600 ? 3600 : highest >= 60 ? 60 : 1
  return 1
}
