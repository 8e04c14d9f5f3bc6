/**
 * Carries an import out: sends the rows that wait, one by one from here or all at once to the
 * server, and keeps the state machine.
 */
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import {
  type ImportEvent,
  type ImportRow,
  type ImportTask,
  importTask,
  isPending,
  newTask,
  nextRow,
} from './import-task.ts'
import type { RowCalls } from './row-calls.ts'

/** Between two rows, so that an import leaves the server room for others (B9.06). */
export const PAUSE_MS = 100

export interface ImportState {
  task: ImportTask
  /** The rows are with the server as a whole: none of them can be edited. */
  onServer: boolean
  /** Why the import as a whole did not go on. */
  failure?: string
}

export interface ImportRun {
  state(): ImportState
  subscribe(listener: () => void): () => void
  /** Import and Continue. */
  start(how: 'here' | 'server'): Promise<void>
  stop(): void
  edit(index: number, field: string, value: unknown): void
}

/** An import of the rows given; nothing is sent before `start`. */
export function openRun(
  rows: readonly ImportRow['values'][],
  calls: RowCalls,
  pause = () => wait(PAUSE_MS),
): ImportRun {
  let state: ImportState = { task: newTask(rows), onServer: false }
  let underWay = false
  let stopping: AbortController | undefined
  const listeners = new Set<() => void>()
  const set = (next: ImportState) => {
    state = next
    for (const listener of listeners) listener()
  }
  const tell = (event: ImportEvent) => set({ ...state, task: importTask(state.task, event) })

  const sendOneByOne = async () => {
    for (let row = nextRow(state.task); row; row = nextRow(state.task)) {
      tell({ type: 'sending', index: row.index })
      const { halt, ...answer } = await calls.send(row)
      tell({ type: 'answered', answers: [answer] })
      if (halt) tell({ type: 'stop' })
      if (nextRow(state.task)) await pause()
    }
  }
  const sendTogether = async () => {
    stopping = new AbortController()
    set({ ...state, onServer: true })
    try {
      const end = await calls.sendAll(
        state.task.rows.filter(isPending),
        (answers) => tell({ type: 'answered', answers }),
        stopping.signal,
      )
      if (end === 'interrupted')
        set({ ...state, failure: t('The server stopped the import. Continue with the remaining rows.') })
    } finally {
      set({ ...state, onServer: false })
    }
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async start(how) {
      const { failure: _, ...rest } = state
      set({ ...rest, task: importTask(state.task, { type: 'run' }) })
      // A stop that was taken back while a row was on its way: the loop is still there.
      if (underWay) return
      underWay = true
      try {
        await (how === 'server' ? sendTogether() : sendOneByOne())
      } catch (error) {
        set({ ...state, failure: errorText(error) })
      } finally {
        underWay = false
        tell({ type: 'stop' })
      }
    },
    stop() {
      tell({ type: 'stop' })
      stopping?.abort()
    },
    edit(index, field, value) {
      if (!state.onServer) tell({ type: 'edit', index, field, value })
    },
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
