import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Fault, MoveOrder, MoveOutcome } from './order.ts'
import { ENDED, runProgram } from './program.ts'
import { BEAT_MS, type Ended, endRun, keepProgress, type Progress, STOPPED } from './runs.ts'

class Stopped extends Error {}
class Closed extends Error {}

const NODE_STOPPED = {
  sentence: 'The node was stopped. What had come by then is here: run it again.',
} satisfies Fault

/** The runs of this node, of which there is one at most. */
export interface OwnRuns {
  /** Begins one that has its row already. */
  begin(id: string, order: Omit<MoveOrder, 'folder'>, source: string): void
}

/** @param program the file of `sallyport-admin` */
export function ownRuns(kernel: Kernel, program: string): OwnRuns {
  const { app, events } = kernel
  const current = new Map<string, { stop: AbortController; over: Promise<void> }>()
  const unsubscribe = events.subscribe(STOPPED, ({ id }) => current.get(String(id))?.stop.abort(new Stopped()))
  app.addHook('onClose', async () => {
    unsubscribe()
    for (const { stop } of current.values()) stop.abort(new Closed())
    await Promise.all([...current.values()].map(({ over }) => over))
  })
  return {
    begin(id, order, source) {
      const stop = new AbortController()
      const over = run(kernel, { id, order, source, program, stop }).finally(() => current.delete(id))
      current.set(id, { stop, over })
      inBackground(over)
    },
  }
}

interface Run {
  id: string
  order: Omit<MoveOrder, 'folder'>
  source: string
  program: string
  stop: AbortController
}

/** One run, from its row to its row. Never throws. */
async function run({ app, db }: Kernel, { id, order, source, program, stop }: Run): Promise<void> {
  const progress: Progress = { source, version: '', stage: '', stagesDone: 0, stages: 0, rows: 0 }
  let result: MoveOutcome = {}
  let fault: Fault | undefined
  const beat = async () => {
    if (!(await keepProgress(db, id, progress))) stop.abort(new Stopped())
  }
  const timer = setInterval(
    () => void beat().catch((error) => app.log.warn({ err: error }, 'an import could not say how far it is')),
    BEAT_MS,
  )
  const ended: Ended = { state: 'failed', fault: ENDED, result: {}, report: null, differences: null }
  try {
    const end = await runProgram(program, order, {
      signal: stop.signal,
      onNews(news) {
        progress.source = news.source ?? progress.source
        progress.version = news.version ?? progress.version
        progress.rows = news.rows ?? progress.rows
        if (news.stage) {
          progress.stage = news.stage.label
          ;[progress.stagesDone, progress.stages] = [news.stage.done, news.stage.all]
        }
        result = { ...result, ...news.outcome }
        fault = news.fault ?? fault
      },
    })
    ended.report = end.report
    ended.differences = end.differences
    if (stop.signal.aborted) {
      const byNode = stop.signal.reason instanceof Closed
      ended.state = byNode ? 'failed' : 'stopped'
      ended.fault = byNode ? NODE_STOPPED : null
    } else if (end.code === 0 && !fault) {
      ended.state = 'done'
      ended.fault = null
    } else {
      ended.fault = fault ?? ENDED
      if (!fault) app.log.error({ code: end.code, output: end.output }, 'the program that imports has ended')
    }
    ended.result = result
  } catch (error) {
    app.log.error({ err: error }, 'an import could not be run')
  } finally {
    clearInterval(timer)
  }
  try {
    await keepProgress(db, id, progress)
    await endRun(db, id, ended)
  } catch (error) {
    app.log.error({ err: error }, 'the end of an import could not be stored')
  }
}
