import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chown, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { Place, PlacedFile } from './place.ts'

/** An account of this machine. */
export interface Owner {
  uid: number
  gid: number
}

/** Readable by its owner alone. */
const FOLDER_MODE = 0o700
const READ_BYTES = 256 * 1024

/**
 * A folder of this machine or of a mounted disk.
 * @param owner who gets what is made there, where this process may give it: root makes a backup of
 *   a service that runs as another account
 */
export function folderPlace(folder: string, owner?: Owner): Place {
  const pathOf = (name: string) => join(folder, name)
  const workshop = pathOf('unfinished')

  const give = async (path: string) => {
    if (owner) await chown(path, owner.uid, owner.gid)
  }
  /** Makes a folder and those above it. */
  const make = async (path: string): Promise<void> => {
    if (await stat(path).catch(() => undefined)) return
    if (dirname(path) !== path) await make(dirname(path))
    await mkdir(path, { mode: FOLDER_MODE }).catch(ignore('EEXIST'))
    await give(path)
  }
  return {
    name: folder,
    workshop,
    async check() {
      try {
        await make(workshop)
        const trial = join(workshop, `trial-${randomUUID()}`)
        await writeFile(trial, 'x', { mode: 0o600 })
        await rm(trial)
      } catch (cause) {
        throw new StartRefusal(
          `The folder ${folder} cannot be written to (${(cause as Error).message}): let the account that Sallyport runs as write there, or name another place`,
          { cause },
        )
      }
    },
    async find(name) {
      const found = await stat(pathOf(name)).catch(() => undefined)
      return found?.isFile() ? { name, bytes: found.size } : undefined
    },
    async *list(prefix) {
      const entries = await readdir(pathOf(prefix), { recursive: true, withFileTypes: true }).catch(ignore('ENOENT'))
      const names = (entries ?? [])
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      for (const name of names.sort()) {
        const found = await stat(pathOf(name)).catch(() => undefined)
        if (found) yield { name, bytes: found.size } satisfies PlacedFile
      }
    },
    open: (name) => createReadStream(pathOf(name), { highWaterMark: READ_BYTES }),
    async keep(name, path) {
      const target = pathOf(name)
      await make(dirname(target))
      const file = await open(path, 'r+')
      await file.sync().finally(() => file.close())
      await give(path)
      await rename(path, target)
      await syncFolder(dirname(target))
    },
    async remove(name) {
      await rm(pathOf(name), { force: true })
      // Folders that are empty now.
      for (let above = dirname(name); above !== '.'; above = dirname(above))
        if (
          !(await rmdir(pathOf(above)).then(
            () => true,
            () => false,
          ))
        )
          break
    },
  }
}

/** Files that were renamed into a folder stay there after a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
  return undefined
}
