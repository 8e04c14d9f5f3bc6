import { availableParallelism, cpus, totalmem } from 'node:os'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { CapacityFigures, CapacityMachine, CapacityState } from '@sallyport/contract/resources/monitor/capacity.ts'
import { sql } from 'drizzle-orm'
import { awaitedLater, inBackground } from '../../../kernel/background.ts'
import { RECONNECTED } from '../../../kernel/events/events.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { recordingStore } from '../../terminal/recording/index.ts'
import { monitorCapacity } from '../tables.ts'
import { ASKED, BEAT_MS, CANCELED } from './ask.ts'
import { GaveWay, type Measure } from './measure.ts'
import type { FaultCode } from './words.ts'

/** Where an alarm about the delay of a node is switched off. */
const LATE_MS = 100
/** The words of a fault are cut to this length. */
const FAULT_CHARACTERS = 500
/** Kept of each node. */
const KEPT = 50

class Canceled extends Error {}
class Stopped extends Error {}

/**
 * Measures this node whenever it is asked to: through the database, so that any node and the command
 * line can ask, and a network that is closed between nodes does not matter.
 */
export function keepMeasuring(kernel: Kernel, measure: Measure): void {
  const { app, db, events, nodes } = kernel
  let current: { id: string; stop: AbortController; over: Promise<void> } | undefined
  let isClosed = false
  const look = async (): Promise<void> => {
    if (current || isClosed) return
    const { rows } = await db.execute<{ id: string; rounds: number }>(sql`
      UPDATE ${monitorCapacity} SET state = 'running', date_seen = now()
      WHERE node = ${nodes.id} AND state = 'waiting' AND date_finished IS NULL RETURNING id, rounds`)
    const [asked] = rows
    if (!asked) return
    const stop = new AbortController()
    current = { id: asked.id, stop, over: awaitedLater(run(kernel, measure, asked, stop)) }
    await current.over
    current = undefined
  }
  const begin = () =>
    inBackground(look().catch((error) => app.log.error({ err: error }, 'the capacity could not be measured')))
  const stopped = [
    events.subscribe(ASKED, ({ node }) => {
      if (node === nodes.id) begin()
    }),
    events.subscribe(CANCELED, ({ id }) => {
      if (id === current?.id) current?.stop.abort(new Canceled())
    }),
    events.subscribe(RECONNECTED, begin),
  ]
  app.addHook('onClose', async () => {
    isClosed = true
    for (const stop of stopped) stop()
    current?.stop.abort(new Stopped())
    await current?.over
  })
}

/** One measurement, from its row to its row. Never throws. */
async function run(
  kernel: Kernel,
  measure: Measure,
  { id, rounds }: { id: string; rounds: number },
  stop: AbortController,
): Promise<void> {
  const { app, db } = kernel
  let [done, total] = [0, 0]
  const own = sql`id = ${id} AND date_finished IS NULL`
  /** Shows how far it is; a run that others took for lost or canceled meanwhile ends. */
  const beat = async () => {
    const { rows } = await db.execute<{ is_canceled: boolean }>(sql`
      UPDATE ${monitorCapacity} SET date_seen = now(), done = ${done}, total = ${total} WHERE ${own}
      RETURNING is_canceled`)
    if (!rows[0] || rows[0].is_canceled) stop.abort(new Canceled())
  }
  const timer = setInterval(
    () => void beat().catch((error) => app.log.warn({ err: error }, 'a measurement could not say how far it is')),
    BEAT_MS,
  )
  try {
    const machine = await machineOf(kernel)
    const figures = await measure(kernel, {
      signal: stop.signal,
      lateMs: settingsOf(kernel).get('MONITOR_LOOP_MS') || LATE_MS,
      rounds,
      onStep(one, all) {
        ;[done, total] = [one, all]
      },
      commit: beat,
    })
    await finish('done', '', figures, machine)
  } catch (error) {
    const reason = stop.signal.aborted ? stop.signal.reason : error
    const state: CapacityState =
      reason instanceof Canceled ? 'canceled' : reason instanceof GaveWay ? 'gave_way' : 'failed'
    if (state === 'failed' && !(reason instanceof Stopped))
      app.log.error({ err: error }, 'the capacity could not be measured')
    const fault =
      reason instanceof Stopped ? ('stopped' satisfies FaultCode) : state === 'failed' ? messageOf(reason) : ''
    await finish(state, fault, {}, null).catch((failure) =>
      app.log.error({ err: failure }, 'the end of a measurement could not be stored'),
    )
  } finally {
    clearInterval(timer)
  }

  async function finish(
    state: CapacityState,
    fault: string,
    figures: CapacityFigures,
    machine: CapacityMachine | null,
  ) {
    await db.execute(sql`
      UPDATE ${monitorCapacity} SET state = ${state}, fault = ${fault}, figures = ${JSON.stringify(figures)}::jsonb,
        machine = ${machine && JSON.stringify(machine)}::jsonb, done = ${done}, total = ${total},
        date_seen = now(), date_finished = now() WHERE ${own}`)
    await db.execute(sql`
      DELETE FROM ${monitorCapacity} WHERE node = ${kernel.nodes.id} AND id NOT IN (
        SELECT id FROM ${monitorCapacity} WHERE node = ${kernel.nodes.id} ORDER BY date_asked DESC LIMIT ${KEPT})`)
  }
}

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, FAULT_CHARACTERS)

async function machineOf({ pool, config }: Kernel): Promise<CapacityMachine> {
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version')
  return {
    version: PRODUCT_VERSION,
    processors: availableParallelism(),
    model: cpus()[0]?.model ?? '',
    memory: totalmem(),
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? '',
    store: recordingStore(config).ofThisNode ? 'disk' : 'bucket',
  }
}
