import { Readable } from 'node:stream'
import { refused } from '../../kernel/errors/app-error.ts'
import type { CopiedFile, CopiedFiles } from '../kinds/desktop/files/copied-files.ts'
import { FolderRefusal } from '../kinds/desktop/files/shared-folder.ts'

/** Each waits for the others' pieces: with more, none would come to anything. */
const MAX_AT_ONCE = 8
/** Size of a request for a part of a file, in bytes. */
const PIECE_BYTES = 256 * 1024

/** The files on the clipboard of a machine, each under a number that no other file has ever had. */
export class CopiedOnMachine {
  readonly files = new Map<number, CopiedFile>()
  #from: CopiedFiles | undefined
  #nextId = 1
  #onTheWay = 0

  /** Answers whether that made a difference. */
  offer(copied: CopiedFiles | undefined): boolean {
    if (!copied && !this.#from) return false
    this.#from = copied
    this.files.clear()
    for (const file of copied?.files ?? []) if (!file.isFolder) this.files.set(this.#nextId++, file)
    return true
  }

  /**
   * One of them, as long as the machine says that it is; it breaks off where the machine gives no more
   * of it. `eachPiece` rejects what must not go on; `over` hears whether all of it went. Throws
   * FolderRefusal.
   */
  async open(id: number, eachPiece: () => Promise<void>, over: (isWhole: boolean) => void) {
    const [from, file] = [this.#from, this.files.get(id)]
    if (!from || !file) throw new FolderRefusal('missing')
    if (this.#onTheWay >= MAX_AT_ONCE)
      throw refused('busy', 'Other files are on their way: try again when they are there')
    this.#onTheWay++
    const state = { left: 0 }
    const close = (isWhole: boolean) => {
      this.#onTheWay--
      over(isWhole)
    }
    try {
      const size = file.size ?? (await from.size(file))
      if (!Number.isSafeInteger(size)) throw new FolderRefusal('missing')
      state.left = size
      const content = Readable.from(pieces(from, file, state, eachPiece), { objectMode: false })
      // Also of one that nobody has begun to read.
      content.once('close', () => close(state.left === 0))
      return { size, content }
    } catch (error) {
      this.#onTheWay--
      throw error instanceof FolderRefusal ? error : new FolderRefusal('missing')
    }
  }
}

async function* pieces(
  from: CopiedFiles,
  file: CopiedFile,
  state: { left: number },
  eachPiece: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for (let offset = 0; state.left; ) {
    const bytes = await from.read(file, offset, Math.min(state.left, PIECE_BYTES))
    // It became shorter meanwhile.
    if (!bytes.length) throw new FolderRefusal('missing')
    await eachPiece()
    offset += bytes.length
    state.left -= bytes.length
    yield bytes
  }
}
