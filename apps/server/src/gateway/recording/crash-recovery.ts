import { open, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { endSessionAtRecordingEnd, finishSession } from '../../domains/terminal/index.ts'
import { replayFolder } from '../../domains/terminal/recording/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { UNFINISHED } from './packing.ts'
import { isStoreAway, sealRecording } from './seal.ts'

/** Endings of recordings in progress, one for each kind. */
const RECORDINGS: ReadonlySet<string> = new Set(['cast', 'statements', 'desktop'])

/** As many as the store is given at a time: after an hour without it there are thousands. */
const AT_ONCE = 4
/** Failures one after the other: then it is the store, not a recording. */
const MAX_FAILURES = 3

/**
 * Packs recordings that a killed process or an unreachable store or database left behind, up to their
 * last whole line, and ends their sessions at the last recorded moment. Leaves alone what a running
 * session writes, and foreign files; and all of them, for this time, when the store takes none.
 * Answers how many were packed.
 */
export async function recoverRecordings(
  kernel: Pick<Kernel, 'app' | 'db' | 'pool' | 'config' | 'secrets'>,
  isLiving: (sessionId: string) => boolean = () => false,
): Promise<number> {
  const folder = replayFolder(kernel.config)
  const files = (await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => [])).values()
  let finished = 0
  let failures = 0
  const recoverSome = async () => {
    for (const name of files) {
      const path = join(folder, name)
      const [id = '', ...endings] = basename(name).split('.')
      const ending = endings.join('.')
      const isUnfinished = UNFINISHED.some((one) => one === ending)
      if (!isUuid(id) || (!RECORDINGS.has(ending) && !isUnfinished) || isLiving(id)) continue
      if (failures >= MAX_FAILURES && isStoreAway(kernel)) return
      try {
        // Left by interrupted packing, whose source is still there.
        if (isUnfinished) await rm(path, { force: true })
        else if (await recoverRecording(kernel, path, id)) finished++
        failures = 0
      } catch (error) {
        // Its session has just ended and packed it itself.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
        failures++
        kernel.app.log.error({ err: error, session: id }, 'recording of a killed process could not be packed')
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, recoverSome))
  return finished
}

/**
 * Seals what is left of a recording and ends its session where the recording ends. Answers whether
 * there was anything to keep. Throws what `sealRecording` throws.
 */
export async function recoverRecording(
  kernel: Pick<Kernel, 'app' | 'db' | 'pool' | 'config' | 'secrets'>,
  path: string,
  id: string,
): Promise<boolean> {
  const dateEnd = await lastMoment(path)
  // Killed before the header was written: there is nothing to keep.
  if (dateEnd) await sealRecording(kernel, id, path)
  if (dateEnd) await endSessionAtRecordingEnd(kernel, id, dateEnd)
  else await finishSession(kernel.db, id)
  await rm(path, { force: true })
  return dateEnd !== undefined
}

/** When the last event was recorded; undefined for a file without a header. */
async function lastMoment(path: string): Promise<Date | undefined> {
  let start: number | undefined
  let seconds = 0
  const file = await open(path)
  for await (const line of file.readLines()) {
    try {
      const entry = JSON.parse(line) as { timestamp?: number } | [number, string, string]
      if (Array.isArray(entry)) seconds = entry[0]
      else start = entry.timestamp
    } catch {
      // A line that the disk damaged.
    }
  }
  return start === undefined ? undefined : new Date((start + seconds) * 1000)
}
