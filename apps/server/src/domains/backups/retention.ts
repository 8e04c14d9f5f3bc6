import { backupIds, MANIFESTS, PARTS, RECORDINGS, readManifest } from './manifest.ts'
import type { Place } from './places/place.ts'
import { readList } from './recordings/recording-list.ts'

/** Removes all but the newest backups, and the recordings that no other one has. */
export async function removeOldBackups(place: Place, keep: number): Promise<void> {
  const ids = await backupIds(place)
  const old = ids.slice(0, Math.max(0, ids.length - keep))
  if (!old.length) return
  // First what makes it complete.
  for (const id of old) await place.remove(`${MANIFESTS}${id}.json`)
  for (const id of old) for await (const { name } of place.list(`${PARTS}${id}/`)) await place.remove(name)
  await removeUnused(place, ids.slice(old.length))
}

/**
 * Removes files of recordings that none of these backups lists. All lists come in one order, so
 * that nothing is held in memory. Where one is damaged or out of order, this throws, and no further
 * file is removed.
 */
async function removeUnused(place: Place, ids: readonly string[]): Promise<void> {
  const lists: Listed[] = []
  try {
    for (const id of ids) lists.push(await Listed.open(place, id))
    for await (const { name } of place.list(RECORDINGS)) {
      let isUsed = false
      for (const list of lists) if (await list.has(name)) isUsed = true
      if (!isUsed) await place.remove(name)
    }
  } finally {
    for (const list of lists) await list.close()
  }
}

/** The files of one backup's recordings, asked for in their order. */
class Listed {
  readonly #files: AsyncGenerator<{ part: { file: string } }>
  #at = ''
  #isOver = false

  private constructor(files: AsyncGenerator<{ part: { file: string } }>) {
    this.#files = files
  }

  static async open(place: Place, id: string): Promise<Listed> {
    return new Listed(readList(place, (await readManifest(place, id)).manifest))
  }

  async has(file: string): Promise<boolean> {
    while (!this.#isOver && this.#at < file) {
      const { done, value } = await this.#files.next()
      this.#isOver = done === true
      if (done) break
      if (value.part.file <= this.#at) throw new Error(`a list of recordings is out of order at ${value.part.file}`)
      this.#at = value.part.file
    }
    return this.#at === file
  }

  async close(): Promise<void> {
    await this.#files.return(undefined)
  }
}
