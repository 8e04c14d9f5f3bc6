/**
 * The transfers of this window as a value, and everything that can happen to them. What moves the
 * bytes is `transfer-engine.ts`.
 */

import type { Existing } from '../folder/files-api.ts'

export type TransferState =
  | 'waiting'
  | 'running'
  /** Something of its name is there: a person must say what to do. */
  | 'asking'
  | 'paused'
  /** The network or the machine went away: it is tried again by itself. */
  | 'lost'
  | 'failed'
  | 'done'
  | 'skipped'
  | 'cancelled'

/** A person's answer about a name that is taken. */
export type ConflictAnswer = 'overwrite' | 'skip' | 'keep'

export interface Draft {
  kind: 'upload' | 'copy'
  name: string
  /** The file on a machine that is copied. */
  from?: string
  to: string
  /** Bytes. */
  size: number
  /** A part of it is at the machine from an earlier time: it is gone on with, not asked about. */
  begun?: boolean
}

export interface Transfer extends Draft {
  id: number
  /** One answer holds for everything that was added at once. */
  batch: number
  state: TransferState
  sent: number
  begun: boolean
  replace: boolean
  /** Times it was lost without a byte in between. */
  losses: number
  error?: string | undefined
  existing?: Existing | undefined
}

export interface Queue {
  list: readonly Transfer[]
  nextId: number
  nextBatch: number
  /** Answers that hold for a whole batch. */
  answers: ReadonlyMap<number, ConflictAnswer>
}

export const EMPTY_QUEUE: Queue = { list: [], nextId: 1, nextBatch: 1, answers: new Map() }

const MAX_RUNNING = 3
/** Tried again so often without a byte getting through. */
export const MAX_LOSSES = 8

export type QueueAction =
  | { do: 'add'; drafts: readonly Draft[]; batch?: number }
  | { do: 'start' | 'done' | 'skipped'; id: number }
  /** From now on what is at the machine is its own. */
  | { do: 'begin'; id: number; to: string; replace: boolean }
  | { do: 'progress'; id: number; sent: number }
  | { do: 'conflict'; id: number; existing: Existing }
  | { do: 'answer'; id: number; answer: ConflictAnswer; forAll: boolean }
  | { do: 'lost' | 'failed'; id: number; error: string }
  | { do: 'pause' | 'resume' | 'cancel' | 'retry'; id?: number }
  | { do: 'clear' }

const OVER: readonly TransferState[] = ['done', 'skipped', 'cancelled', 'failed']
export const isOver = ({ state }: Transfer): boolean => OVER.includes(state)
/** Whether leaving the page would break something off. */
export const isUnderWay = ({ list }: Queue): boolean =>
  list.some(({ state }) => ['waiting', 'running', 'asking', 'lost'].includes(state))

/**
 * The queue after an action; one that does not fit the state of its transfer, such as news of a
 * cancelled one, changes nothing.
 */
export function changeQueue(queue: Queue, action: QueueAction): Queue {
  switch (action.do) {
    case 'add': {
      const batch = action.batch ?? queue.nextBatch
      const added = action.drafts.map(
        (draft, at): Transfer => ({
          ...draft,
          id: queue.nextId + at,
          batch,
          state: 'waiting',
          sent: 0,
          begun: draft.begun ?? false,
          replace: false,
          losses: 0,
        }),
      )
      return {
        ...queue,
        list: [...queue.list, ...added],
        nextId: queue.nextId + added.length,
        nextBatch: Math.max(queue.nextBatch, batch + 1),
      }
    }
    case 'clear': {
      const list = queue.list.filter((one) => !isOver(one))
      return { ...queue, list, answers: list.length ? queue.answers : new Map() }
    }
    case 'start':
      return changed(queue, action.id, ['waiting', 'lost'], () => ({ state: 'running', error: undefined }))
    case 'begin':
      return changed(queue, action.id, ['running'], ({ name }) => ({
        begun: true,
        to: action.to,
        replace: action.replace,
        name: name.slice(0, name.lastIndexOf('/') + 1) + action.to.slice(action.to.lastIndexOf('/') + 1),
      }))
    case 'progress':
      return changed(queue, action.id, ['running'], ({ sent, losses }) => ({
        sent: action.sent,
        losses: action.sent > sent ? 0 : losses,
      }))
    case 'done':
      return changed(queue, action.id, ['running'], ({ size }) => ({ state: 'done', sent: size }))
    case 'skipped':
      return changed(queue, action.id, ['running', 'asking'], () => ({ state: 'skipped' }))
    case 'conflict':
      return changed(queue, action.id, ['running'], () => ({
        state: 'asking',
        existing: action.existing,
        begun: false,
      }))
    case 'answer':
      return answered(queue, action)
    case 'failed':
      return changed(queue, action.id, ['running'], () => ({ state: 'failed', error: action.error }))
    case 'lost':
      return changed(queue, action.id, ['running'], ({ losses }) =>
        losses + 1 >= MAX_LOSSES
          ? { state: 'failed', error: action.error }
          : { state: 'lost', error: action.error, losses: losses + 1 },
      )
    case 'pause':
      return changed(queue, action.id, ['waiting', 'running', 'lost'], () => ({ state: 'paused' }))
    case 'resume':
      return changed(queue, action.id, ['paused', 'lost'], () => ({ state: 'waiting' }))
    case 'cancel':
      return changed(queue, action.id, ['waiting', 'running', 'asking', 'paused', 'lost'], () => ({
        state: 'cancelled',
      }))
    case 'retry':
      return changed(
        queue,
        action.id,
        ['failed', 'cancelled'],
        () => ({ state: 'waiting', losses: 0, error: undefined }),
        action.id === undefined ? ['failed'] : undefined,
      )
  }
}

/** Changes one transfer, or all, where they are in one of the states. */
function changed(
  queue: Queue,
  id: number | undefined,
  states: readonly TransferState[],
  change: (one: Transfer) => Partial<Transfer>,
  forAll = states,
): Queue {
  const fitting = id === undefined ? forAll : states
  if (!queue.list.some((one) => (id === undefined || one.id === id) && fitting.includes(one.state))) return queue
  return {
    ...queue,
    list: queue.list.map((one) =>
      (id === undefined || one.id === id) && fitting.includes(one.state) ? { ...one, ...change(one) } : one,
    ),
  }
}

/**
 * One answer sets its transfer going, or all of the batch, also those that will meet a taken name
 * later.
 */
function answered(queue: Queue, { id, answer, forAll }: Extract<QueueAction, { do: 'answer' }>): Queue {
  const asked = queue.list.find((one) => one.id === id && one.state === 'asking')
  if (!asked) return queue
  const answers = new Map(queue.answers)
  if (forAll) answers.set(asked.batch, answer)
  const concerned = (one: Transfer) =>
    one.state === 'asking' && (one.id === id || (forAll && one.batch === asked.batch))
  const next = (one: Transfer): Transfer => ({ ...one, state: answer === 'skip' ? 'skipped' : 'waiting' })
  return { ...queue, answers, list: queue.list.map((one) => (concerned(one) ? next(one) : one)) }
}

/** The transfers that may be started now, in order. */
export function startable({ list }: Queue): Transfer[] {
  const free = MAX_RUNNING - list.filter(({ state }) => state === 'running').length
  return free > 0 ? list.filter(({ state }) => state === 'waiting').slice(0, free) : []
}

/** The one that is asked about now. */
export const question = ({ list }: Queue): Transfer | undefined => list.find(({ state }) => state === 'asking')

export interface Totals {
  count: number
  over: number
  failed: number
  /** Bytes, of what was not cancelled or skipped. */
  sent: number
  size: number
}

export function totals({ list }: Queue): Totals {
  const sum = { count: list.length, over: 0, failed: 0, sent: 0, size: 0 }
  for (const one of list) {
    if (isOver(one)) sum.over += 1
    if (one.state === 'failed') sum.failed += 1
    if (one.state === 'skipped' || one.state === 'cancelled') continue
    // Nothing of a failed file is there, however much of it was sent.
    if (one.state !== 'failed') sum.sent += one.sent
    sum.size += one.size
  }
  return sum
}

const SMALLEST_PART = 1024 * 1024
const LARGEST_PART = 32 * 1024 * 1024
export const FIRST_PART = 8 * 1024 * 1024
/**
 * The size of a part: where the line breaks, no more of it is sent again. Proxies with a limit of
 * 60 seconds to a request leave room for a line that becomes slower.
 */
const PART_MS = 15_000

/** Bytes of the next part, by how long the last one took. */
export function nextPart(bytes: number, tookMs: number): number {
  return Math.round(
    Math.min(LARGEST_PART, Math.max(SMALLEST_PART, Math.min(bytes * 2, (bytes * PART_MS) / Math.max(1, tookMs)))),
  )
}
