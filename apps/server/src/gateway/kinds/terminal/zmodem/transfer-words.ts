import type { MovedFile } from './file-progress.ts'
import type { Direction } from './start-detector.ts'

export const BEGUN: Readonly<Record<Direction, string>> = {
  download: 'The machine sends a file, the terminal waits until it is through',
  upload: 'The machine waits for a file, the terminal waits until it is through',
}

export const REFUSED: Readonly<Record<Direction, string>> = {
  download: 'You have no permission to download from this asset',
  upload: 'You have no permission to change files on this asset',
}
export const NOT_LOGGED = 'This cannot be logged at the moment and is therefore not done: tell an administrator'

/** Outcome of a file: an English text with its values. */
export function movedWords(
  direction: Direction,
  { name, size, isWhole }: MovedFile,
): [text: string, values: Record<string, unknown>] {
  if (!isWhole) return ['{{name}} was not transferred', { name }]
  if (direction === 'download') return ['{{name}} was downloaded, {{size|byte|bytes}}', { name, size }]
  return ['{{name}} was uploaded, {{size|byte|bytes}}', { name, size }]
}
