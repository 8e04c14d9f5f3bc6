import { lstat, opendir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArrivingRecording } from '../../../domains/terminal/arriving/index.ts'
import { json } from '../values.ts'

/** A recording in their media. */
export interface FoundRecording {
  session: string
  /** The day of its folder, which they take from the clock of a component. */
  day: string
  recording: ArrivingRecording
}

/** Why something in the media folder is left alone. */
export type MediaFault = 'link' | 'video' | 'unreadable' | 'too_many'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** A second upload of one file has an end such as `_Ab12Cd3`. */
const FILE = new RegExp(`^(${ID})(\\.cast|\\.replay)?(?:_[A-Za-z0-9]{7})?\\.gz$`)
const FOLDER = new RegExp(`^${ID}$`)
const VIDEO = new RegExp(`^${ID}\\.replay\\.mp4$`)
/** No installation has more sessions a day; what is beyond them is left out, and reported. */
const MOST_A_DAY = 200_000
const MOST_PARTS = 10_000
const MOST_MANIFEST_BYTES = 4 * 1024 * 1024

interface Candidate {
  recording: ArrivingRecording
  bytes: number
}

/**
 * Recordings below a folder of media, or its `replay`: day by day, of each session the largest file of a
 * day. Links are not followed, and only names of their form are looked at, so that nothing outside the
 * folder is reached.
 */
export async function* findRecordings(
  media: string,
  fault: (path: string, fault: MediaFault) => void,
): AsyncGenerator<FoundRecording[]> {
  const root = await realpath(media)
  for (const folder of [root, join(root, 'replay')])
    for (const day of await daysIn(folder, fault)) {
      const found = new Map<string, Candidate>()
      for await (const [session, candidate] of inDay(join(folder, day), fault)) {
        const other = found.get(session)
        if (!other || other.bytes < candidate.bytes) found.set(session, candidate)
      }
      yield [...found].map(([session, { recording }]) => ({ session, day, recording }))
    }
}

async function daysIn(folder: string, fault: (path: string, fault: MediaFault) => void): Promise<string[]> {
  const stats = await lstat(folder).catch(() => undefined)
  if (stats?.isSymbolicLink()) fault(folder, 'link')
  if (!stats?.isDirectory()) return []
  const days: string[] = []
  for await (const entry of await opendir(folder)) {
    if (!DAY.test(entry.name)) continue
    if (entry.isDirectory()) days.push(entry.name)
    else if (entry.isSymbolicLink()) fault(join(folder, entry.name), 'link')
  }
  return days.sort()
}

async function* inDay(
  folder: string,
  fault: (path: string, fault: MediaFault) => void,
): AsyncGenerator<[session: string, Candidate]> {
  let seen = 0
  const entries = await opendir(folder).catch(() => undefined)
  if (!entries) return fault(folder, 'unreadable')
  for await (const { name } of entries) {
    const path = join(folder, name)
    const file = FILE.exec(name)
    if (VIDEO.test(name)) fault(path, 'video')
    if (!file && !FOLDER.test(name)) continue
    if (++seen > MOST_A_DAY) return fault(folder, 'too_many')
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isSymbolicLink()) fault(path, 'link')
    else if (file && stats?.isFile()) {
      const suffix = `${file[2] ?? ''}.gz` as '.cast.gz' | '.replay.gz' | '.gz'
      yield [file[1] as string, { recording: { path, suffix }, bytes: stats.size }]
    } else if (!file && stats?.isDirectory()) {
      const found = await partsIn(path, name, fault)
      if (found) yield [name, found]
    }
  }
}

/** A recording in parts: its list says which, and in which order. */
async function partsIn(
  folder: string,
  session: string,
  fault: (path: string, fault: MediaFault) => void,
): Promise<Candidate | undefined> {
  const list = join(folder, `${session}.replay.json`)
  const stats = await lstat(list).catch(() => undefined)
  if (!stats) return undefined
  if (!stats.isFile() || stats.size > MOST_MANIFEST_BYTES) {
    fault(list, stats.isSymbolicLink() ? 'link' : 'unreadable')
    return undefined
  }
  const read = json(await readFile(list, 'utf8').catch(() => '')) as { files?: unknown } | undefined
  const files = Array.isArray(read?.files) ? read.files : []
  const parts: { path: string; start?: number }[] = []
  let bytes = 0
  for (const file of files.slice(0, MOST_PARTS)) {
    const { name, start } = (file ?? {}) as { name?: unknown; start?: unknown }
    const number = typeof name === 'string' && name.startsWith(`${session}.`) ? name.slice(session.length + 1) : ''
    const path = join(folder, `${session}.${number}`)
    const part = /^\d{1,6}\.part\.gz$/.test(number) ? await lstat(path).catch(() => undefined) : undefined
    if (!part?.isFile()) {
      fault(list, /\.mp4$/.test(number) ? 'video' : 'unreadable')
      return undefined
    }
    bytes += part.size
    parts.push({ path, ...(typeof start === 'number' && Number.isFinite(start) ? { start } : {}) })
  }
  if (!parts.length || files.length > MOST_PARTS) {
    fault(list, 'unreadable')
    return undefined
  }
  return { recording: { parts }, bytes }
}
