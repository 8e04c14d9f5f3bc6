/** The thread behind threads.ts: packs, searches and shows recordings, one task at a time. */

import { createReadStream } from 'node:fs'
import type { ReplaySearch } from '@sallyport/contract/replay.ts'
import { serveTasks } from '../../../kernel/threads.ts'
import { LineTooLong, linesOf } from './lines.ts'
import { packCast } from './pack.ts'
import { isDamaged, unpacked } from './packed-file.ts'
import { screenNow } from './screen-now.ts'
import { TextSearch } from './text-search.ts'
import type { RecordingTask } from './threads.ts'

serveTasks(done)

function done(task: RecordingTask): Promise<unknown> {
  switch (task.do) {
    case 'pack':
      return packCast(task)
    case 'screen':
      return screenNow(task)
    case 'search':
      return search(task)
  }
}

/** Looks through a packed recording; stops at many places or when the time is over. */
async function search({
  path,
  wanted,
  seconds,
  hits,
}: Extract<RecordingTask, { do: 'search' }>): Promise<ReplaySearch> {
  const found = new TextSearch(wanted, hits)
  const until = performance.now() + seconds * 1000
  const source = createReadStream(path)
  try {
    for await (const line of linesOf(unpacked(source))) {
      found.add(line.toString())
      if (found.more) break
      if (performance.now() > until) {
        found.more = true
        break
      }
    }
  } catch (error) {
    // Damage further on does not hide matches before it.
    if (!(error instanceof LineTooLong) && !isDamaged(error)) throw error
    found.more = true
    return { ...found.end(), damaged: true }
  } finally {
    source.destroy()
  }
  return found.end()
}
