import { t } from '../../../lib/i18n.ts'
import { type Details, type Existing, findFile, listFolder, makeFolder } from '../folder/files-api.ts'
import { joined, nameOf, numbered, parentOf } from '../folder/paths.ts'
import type { Transfer } from './queue.ts'

/** Numbers tried for a free name. */
const MAX_NUMBERS = 200

/** The places that transfers go to: their content, and the folders on the way. */
export class Destinations {
  readonly #onChanged: (folder: string) => void
  /** Folders that are there, or being made, by batch and path: each is asked for once. */
  readonly #folders = new Map<string, Promise<void>>()
  /** What stood in folders when a batch came to them, by batch and path. */
  readonly #existing = new Map<string, Promise<ReadonlyMap<string, Existing>>>()

  constructor(onChanged: (folder: string) => void) {
    this.#onChanged = onChanged
  }

  /** Makes a folder; one that is there is as good. */
  async makeFolder(path: string): Promise<void> {
    try {
      await makeFolder(path)
      this.#onChanged(parentOf(path))
    } catch (error) {
      // Somebody may make it at the same moment, which machines answer in many ways.
      const there = await findFile(path)
      if (there?.kind === 'folder') return
      throw there ? new Error(t('A file stands where the folder {{name}} should be.', { name: nameOf(path) })) : error
    }
  }

  /** The folders between where the batch goes and the file itself. */
  async makeFolders({ name, to, batch }: Transfer): Promise<void> {
    const depth = name.split('/').length - 1
    const folders: string[] = []
    for (let folder = parentOf(to); folders.length < depth; folder = parentOf(folder)) folders.unshift(folder)
    for (const folder of folders) {
      const key = `${batch} ${folder}`
      const making = this.#folders.get(key) ?? this.makeFolder(folder)
      this.#folders.set(key, making)
      making.catch(() => this.#folders.delete(key))
      await making
    }
  }

  /**
   * Content of a transfer's target; each folder is read once for a batch, as thousands of
   * files may come.
   */
  async existingAt({ to, batch }: Transfer): Promise<Existing | undefined> {
    const folder = parentOf(to)
    const key = `${batch} ${folder}`
    const reading =
      this.#existing.get(key) ??
      listFolder(folder, true).then(({ entries }) => new Map(entries.map((entry) => [entry.name, entry])))
    this.#existing.set(key, reading)
    try {
      return (await reading).get(nameOf(to))
    } catch {
      // Too many to be listed, or not there: this one is asked for alone.
      this.#existing.delete(key)
      return findFile(to)
    }
  }

  /** Something else is there now. */
  forget({ to, batch }: Transfer): void {
    this.#existing.delete(`${batch} ${parentOf(to)}`)
  }

  clear(): void {
    this.#folders.clear()
    this.#existing.clear()
  }
}

/** The path with the first number that makes its name free. */
export async function freePath(path: string): Promise<string> {
  for (let count = 1; count <= MAX_NUMBERS; count++) {
    const next = joined(parentOf(path), numbered(nameOf(path), count))
    const there: Details | undefined = await findFile(next)
    if (!there) return next
  }
  throw new Error(t('No free name was found.'))
}
