import { open, readFile, stat } from 'node:fs/promises'
import { packInThread } from '../../domains/terminal/recording/index.ts'
import { ThreadLost } from '../../kernel/threads.ts'

/** The last line feed is searched backwards in steps of this size. */
const LOOK_BACK_BYTES = 64 * 1024

/**
 * Endings, after the session's id, of files that are incomplete while they are written; what a crash
 * leaves of them is deleted.
 */
export const UNFINISHED = [
  'statements.gz.part',
  'desktop.gz.part',
  'cast.gz.part',
  'screens.gz.part',
  'index.json.part',
  'cast.rebuilding',
  'statements.rebuilding',
  'desktop.rebuilding',
] as const
/** Recordings that are packed with an index. */
const IN_PIECES = /\.(?:cast|desktop)$/
/** Ending of a recording while it is being fetched from the store. */
export const REBUILDING = '.rebuilding'

/** The files that packing creates, in this order. */
export function packedFiles(path: string): string[] {
  if (!IN_PIECES.test(path)) return [`${path}.gz`]
  const base = path.replace(IN_PIECES, '')
  return [`${path}.gz`, `${base}.screens.gz`, `${base}.index.json`]
}

/** Whether an earlier attempt has packed it already. */
export async function isPacked(path: string): Promise<boolean> {
  const files = packedFiles(path)
  const index = files.at(-1)
  if (!IN_PIECES.test(path) || !index) return false
  try {
    const { size } = await stat(path)
    for (const file of files) await stat(file)
    return JSON.parse(await readFile(index, 'utf8')).bytes === size
  } catch {
    return false
  }
}

/**
 * `x.cast` → `x.cast.gz`, with an index and screens beside it so that it opens and seeks at once
 * however long it is. The files get their names only once they are complete, so packing that was
 * killed can be repeated. A last line that a crash or a full disk cut off is dropped. The plain file
 * stays: remove it once the session's row knows of the packed one, or a crash in between would hide
 * the recording. Runs in another thread. Throws what the disk throws.
 */
export async function packRecording(path: string): Promise<string> {
  const packed = `${path}.gz`
  await cutBehindLastLine(path)
  const task = { source: path, isPacked: false, target: packed, suffix: '.part' }
  const withoutIndex = !IN_PIECES.test(path)
  try {
    await packInThread({ ...task, withoutIndex })
  } catch (error) {
    if (!(error instanceof ThreadLost) || withoutIndex) throw error
    // Its output was too much for the emulator that draws key frames. It must be kept all the same.
    await packInThread({ ...task, withoutIndex: true })
  }
  return packed
}

/** Removes an incomplete last line, which players refuse. */
async function cutBehindLastLine(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    let end = (await file.stat()).size
    const piece = Buffer.alloc(LOOK_BACK_BYTES)
    while (end > 0) {
      const from = Math.max(0, end - LOOK_BACK_BYTES)
      const { bytesRead } = await file.read(piece, 0, end - from, from)
      const newline = piece.subarray(0, bytesRead).lastIndexOf(0x0a)
      if (newline >= 0) return void (await file.truncate(from + newline + 1))
      end = from
    }
    await file.truncate(0)
  } finally {
    await file.close()
  }
}
