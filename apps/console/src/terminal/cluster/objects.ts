/** Rows of objects as a value: as they came, and as they are shown. */
import type { Tone } from '../../design/Status.tsx'
import type { Sorting } from '../grid/sorting.ts'
import type { KindName } from './kinds.ts'

export interface ObjectColumn {
  name: string
  /** Only shown on demand, as by `kubectl get -o wide`. */
  isWide: boolean
}

/** A row as the gateway tells it. */
export interface ObjectRow {
  name: string
  namespace: string
  cells: readonly string[]
}

/** New state of an object; without cells it is gone. */
export interface ObjectChange {
  name: string
  namespace: string
  cells?: readonly string[]
}

/** The rows after changes, in their order; what is new comes last, where `takesNew`. */
export function changedRows(
  rows: readonly ObjectRow[],
  changes: readonly ObjectChange[],
  takesNew: boolean,
): readonly ObjectRow[] {
  const open = new Map(changes.map((change) => [`${change.namespace}/${change.name}`, change]))
  const kept = rows.flatMap((row) => {
    const key = `${row.namespace}/${row.name}`
    const change = open.get(key)
    open.delete(key)
    if (!change) return [row]
    return change.cells ? [{ ...row, cells: change.cells }] : []
  })
  const fresh = takesNew ? [...open.values()].flatMap(({ cells, ...at }) => (cells ? [{ ...at, cells }] : [])) : []
  return [...kept, ...fresh]
}

/** One object of a cluster. */
export interface ObjectPlace {
  kind: KindName
  namespace: string
  name: string
}

/** The listed kind; an empty namespace means all of them. */
export interface Listing {
  kind: KindName
  namespace: string
  /** Filter by labels, as `app=web`. */
  selector: string
}

const cellOf = (row: ObjectRow, column: number): string => (column < 0 ? row.namespace : (row.cells[column] ?? ''))

/** Those in which each of the words stands, in that order. */
export function shownObjects(
  rows: readonly ObjectRow[],
  { filter, sorting }: { filter: string; sorting: Sorting | undefined },
): readonly ObjectRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const holds = (row: ObjectRow) => {
    const text = `${row.namespace} ${row.cells.join(' ')}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const found = words.length ? rows.filter(holds) : rows
  if (!sorting) return found
  const { column, isDescending } = sorting
  const sign = isDescending ? -1 : 1
  return found.toSorted((one, other) => sign * compareCells(cellOf(one, column), cellOf(other, column)))
}

const inOrder = new Intl.Collator(undefined, { numeric: true })

/** Spans of time by their length, numbers by their size, all else as text. */
export function compareCells(one: string, other: string): number {
  const [a, b] = [secondsOf(one), secondsOf(other)]
  return a !== undefined && b !== undefined ? a - b : inOrder.compare(one, other)
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { y: 31_536_000, d: 86_400, h: 3600, m: 60, s: 1 }

/** Seconds of a span as Kubernetes writes it: `5d4h`, `90s`. */
function secondsOf(text: string): number | undefined {
  if (!/^(?:\d+[ydhms])+$/.test(text)) return undefined
  return [...text.matchAll(/(\d+)([ydhms])/g)].reduce(
    (sum, [, amount, unit = 's']) => sum + Number(amount) * (UNIT_SECONDS[unit] ?? 0),
    0,
  )
}

const DANGER =
  /Error|BackOff|Failed|Evicted|OOMKilled|NotReady|Unknown|Invalid|Lost|Warning|Deadline|ContainerStatusUnknown/
const WARNING = /Pending|Creating|Terminating|^Init:|Initializing|SchedulingDisabled|Suspended/
const GOOD = /^(?:Running|Completed?|Succeeded|Active|Ready|Bound|Normal)$/

/** The meaning of the cluster's word for a state. */
export const toneOf = (state: string): Tone =>
  DANGER.test(state) ? 'danger' : WARNING.test(state) ? 'warning' : GOOD.test(state) ? 'good' : 'quiet'
