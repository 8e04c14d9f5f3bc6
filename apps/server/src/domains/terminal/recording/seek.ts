import { readPiece, readScreen } from './pieces.ts'
import type { InStore } from './store/recording-store.ts'
import { readIndex } from './stored-index.ts'

/**
 * Reads what a player needs to go on from a moment: the screen and the piece there.
 * @param at 0: the beginning, 1: the end. Throws where the recording has no index, and 409 where it is damaged
 */
export async function readMoment(replay: InStore, at: number): Promise<void> {
  const parts = (await readIndex(replay))?.parts ?? []
  const part = parts[Math.min(parts.length - 1, Math.floor(at * parts.length))]
  if (!part) throw new Error(`${replay.name} has no index`)
  await Promise.all([readPiece(replay, part), readScreen(replay, part)])
}
