import type { ReplayMark, ReplaySearch } from '@sallyport/contract/replay.ts'
import { TextSearch } from '../text-search.ts'

/**
 * Finds text that was noted beside the picture of a desktop, which itself has none: what people were
 * told, names of files, and clipboards where they are kept. As `TextSearch` finds it on a screen.
 */
export function searchMarks(marks: readonly ReplayMark[], wanted: string, maxHits?: number): ReplaySearch {
  const found = new TextSearch(wanted, maxHits)
  for (const { time, text } of marks) {
    if (text) found.add(JSON.stringify([time, 'o', `${text}\n`]))
    if (found.more) break
  }
  return found.end()
}
