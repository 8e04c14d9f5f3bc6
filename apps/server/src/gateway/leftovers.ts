import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { finishSession, markReplay, replayFolder } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isUuid } from '../kernel/resource/conditions.ts'
import { packRecording } from './recorder.ts'

/**
 * Recordings that a killed process left unpacked: packed up to their last flush, and their sessions ended at the last recorded moment.
 * Run before the first session: whatever lies there then belongs to nobody alive. Answers how many.
 */
export async function finishLeftovers(kernel: Kernel): Promise<number> {
  const folder = replayFolder(kernel.config)
  const files = (await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => [])).filter((name) => name.endsWith('.cast'))
  let finished = 0
  for (const name of files) {
    const path = join(folder, name)
    const id = basename(name, '.cast')
    if (!isUuid(id)) continue
    try {
      const dateEnd = await lastMoment(path)
      await packRecording(path)
      await markReplay(kernel, id)
      await finishSession(kernel.db, id, dateEnd ? { dateEnd } : {})
      finished++
    } catch (error) {
      kernel.app.log.error({ err: error, session: id }, 'leftover recording could not be packed')
    }
  }
  return finished
}

/** When the last whole event was recorded; undefined for a file without any. A line that a crash cut off is passed over. */
async function lastMoment(path: string): Promise<Date | undefined> {
  let start: number | undefined
  let seconds = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    try {
      const entry = JSON.parse(line) as { timestamp?: number } | [number, string, string]
      if (Array.isArray(entry)) seconds = entry[0]
      else start = entry.timestamp
    } catch {
      // The cut-off last line.
    }
  }
  return start === undefined ? undefined : new Date((start + seconds) * 1000)
}
