import {
  type AlarmKind,
  type Figures,
  type LimitedFigure,
  NODE_LIMITS,
  type NodeFigure,
  SHARED_LIMITS,
  type SharedFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'

/** An alarm is over once the figure is below this part of its limit: one that swings around it raises one, not ten. */
const BACK_BELOW = 0.95
/** Dropped events stay dropped: their alarm lasts for so long after the last. */
const DROPPED_MINUTES = 60
/** A node that does not come back within a day was taken away. */
export const SILENT_DAYS = 1
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What alarms are about; `id` is empty for the installation. */
export interface Subject {
  id: string
  name: string
}

/** Figures of one minute. */
export interface Minute {
  at: Date
  figures: Figures<NodeFigure | SharedFigure>
}

export interface Observed {
  at: Date
  /** Minutes until an alarm. */
  minutes: number
  /** In the figures' own units; without those that are switched off. */
  limits: Readonly<Partial<Record<LimitedFigure, number>>>
  nodes: readonly (Subject & { terminal: string | null; is_running: boolean; date_seen: Date })[]
  storages: readonly (Subject & { is_away: boolean; date_since: Date })[]
  /** The last `minutes` and one more, newest first, by node (the installation's by ''). */
  samples: ReadonlyMap<string, readonly Minute[]>
  /** Events that were dropped up to the minute before; undefined where that is not known. */
  droppedBefore: number | undefined
  open: readonly OpenAlarm[]
}

export interface OpenAlarm {
  id: string
  kind: AlarmKind
  subject: string
  value: number | null
  date_seen: Date
}

/** A fault: reported if it is new. */
export interface Finding {
  kind: AlarmKind
  subject: Subject
  value: number | null
  limit: number | null
}

export interface Verdict {
  /** Crossed for long enough; those that stand already are among them. */
  wrong: readonly Finding[]
  /** Neither crossed nor over yet: what stands, stands. */
  undecided: readonly Pick<Finding, 'kind' | 'subject'>[]
}

const INSTALLATION: Subject = { id: '', name: '' }

/** Which alarms there are now. Alarms that are neither wrong nor undecided are over. */
export function judge(observed: Observed): Verdict {
  const wrong: Finding[] = []
  const undecided: Finding[] = []
  const all = [
    ...observed.nodes.flatMap((node) => (node.is_running ? ofFigures(observed, node, NODE_LIMITS) : [])),
    ...ofFigures(observed, INSTALLATION, SHARED_LIMITS),
    ...observed.nodes.flatMap((node) => silence(observed, node)),
    ...observed.storages.map((storage) => away(observed, storage)),
    ...dropped(observed),
  ]
  for (const { state, ...finding } of all) {
    if (state === 'crossed') wrong.push(finding)
    if (state === 'between') undecided.push(finding)
  }
  return { wrong, undecided }
}

/** `crossed` for long enough, kept for long enough, or neither. */
type State = 'crossed' | 'kept' | 'between'
type Judged = Finding & { state: State }

function ofFigures(
  { samples, limits, minutes }: Observed,
  subject: Subject,
  names: Readonly<Partial<Record<string, unknown>>>,
): Judged[] {
  const taken = samples.get(subject.id) ?? []
  return (Object.keys(names) as LimitedFigure[]).flatMap((kind) => {
    const limit = limits[kind]
    const values = taken.flatMap(({ figures }) => figures[kind] ?? []).slice(0, minutes)
    const value = values[0]
    if (limit === undefined || value === undefined) return []
    const isLongEnough = values.length >= minutes
    const state =
      isLongEnough && values.every((one) => one > limit)
        ? 'crossed'
        : isLongEnough && values.every((one) => one <= limit * BACK_BELOW)
          ? 'kept'
          : 'between'
    return [{ kind, subject, value, limit, state }]
  })
}

/** A node that has not said goodbye, and has not been heard of. */
function silence({ at, minutes }: Observed, node: Observed['nodes'][number]): Judged[] {
  const silent = at.getTime() - node.date_seen.getTime()
  if (!node.is_running || silent > SILENT_DAYS * DAY_MS) return []
  const isCrossed = silent > minutes * MINUTE_MS
  return [{ kind: 'node_silent', subject: node, value: null, limit: null, state: isCrossed ? 'crossed' : 'kept' }]
}

function away({ at, minutes }: Observed, storage: Observed['storages'][number]): Judged {
  const isLongEnough = at.getTime() - storage.date_since.getTime() >= minutes * MINUTE_MS
  const state = isLongEnough ? (storage.is_away ? 'crossed' : 'kept') : 'between'
  return { kind: 'storage_away', subject: storage, value: null, limit: null, state }
}

/** At once: what is gone does not come back, however short the time. */
function dropped({ at, samples, droppedBefore, open }: Observed): Judged[] {
  const now = samples.get('')?.[0]?.figures.events_dropped
  if (now === undefined) return []
  const of = { kind: 'events_dropped', subject: INSTALLATION, value: now, limit: null } as const
  if (droppedBefore !== undefined && now > droppedBefore) return [{ ...of, state: 'crossed' }]
  const stands = open.find(({ kind }) => kind === 'events_dropped')
  if (!stands) return []
  const isOver = at.getTime() - stands.date_seen.getTime() > DROPPED_MINUTES * MINUTE_MS
  return [{ ...of, state: isOver ? 'kept' : 'between' }]
}
