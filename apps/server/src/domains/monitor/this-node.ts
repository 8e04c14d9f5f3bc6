import { statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Figures, NodeFigure } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { replayFolder } from '../terminal/recording/index.ts'

/** How often the event loop is looked at: a delay shorter than this may go unseen. */
const LOOK_MS = 20
const NANOSECONDS = 1e6

/** A node's figures about itself; the sessions that it carries are counted in the database. */
export type OwnFigures = Figures<Exclude<NodeFigure, 'sessions'>>

export interface ThisNode {
  /** Since it was asked last: shares and delays are of that time. */
  measure(): Promise<OwnFigures>
  close(): void
}

/** Measures this process and its machine. */
export function openThisNode({ config, pool }: Pick<Kernel, 'config' | 'pool'>): ThisNode {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS })
  delay.enable()
  let before = processorTimes()
  return {
    async measure() {
      const now = processorTimes()
      const passed = now.all - before.all
      // Counters of idle time may go back a little (proc_stat(5)).
      const share = passed > 0 ? 1 - (now.idle - before.idle) / passed : 0
      const cpu = Math.min(Math.max(share, 0), 1) * 100
      before = now
      // Node says how long it was from one look to the next.
      const loop_delay = delay.count ? Math.max(0, delay.percentile(99) / NANOSECONDS - LOOK_MS) : 0
      delay.reset()
      const start = performance.now()
      await pool.query('SELECT 1')
      const database_delay = performance.now() - start
      return {
        cpu,
        memory: (1 - freemem() / totalmem()) * 100,
        process_memory: process.memoryUsage.rss(),
        loop_delay,
        database_delay,
        ...(await fullestDisk([config.dataDirectory, replayFolder(config)])),
      }
    },
    close: () => delay.disable(),
  }
}

function processorTimes(): { all: number; idle: number } {
  const times = cpus().map(({ times }) => times)
  return {
    all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
  }
}

/** The fullest of the disks that these folders are on; recordings may have one of their own. */
async function fullestDisk(folders: readonly string[]): Promise<Figures<'disk' | 'disk_free'>> {
  const disks = await Promise.all(folders.map((folder) => statfs(folder).catch(() => undefined)))
  const used = disks.flatMap((disk) =>
    disk?.blocks ? [{ disk: (1 - disk.bavail / disk.blocks) * 100, disk_free: disk.bavail * disk.bsize }] : [],
  )
  return used.toSorted((one, other) => other.disk - one.disk)[0] ?? {}
}
