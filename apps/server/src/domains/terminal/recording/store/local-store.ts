import { copyFile, lstat, mkdir, readdir, readlink, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { readNoFollow, refuseLinks } from './no-follow.ts'
import { dayIn, type RecordingStore, type StoredFile } from './recording-store.ts'

/**
 * Recordings in a folder of this node, by day. Drafts are written in their final place, so keeping
 * one does nothing.
 */
export function createLocalStore(folder: string): RecordingStore {
  const pathOf = (name: string) => join(folder, name)
  const find = async (name: string): Promise<StoredFile | undefined> => {
    const found = await followed(pathOf(name))
      .then((path) => stat(path))
      .catch(() => undefined)
    if (!found?.isFile()) return undefined
    const version = `${found.mtimeMs} ${found.ctimeMs} ${found.size}`
    return { name, bytes: found.size, version, changed: found.mtime }
  }
  const draft = async (name: string) => {
    await mkdir(dirname(pathOf(name)), { recursive: true, mode: 0o700 })
    return pathOf(name)
  }
  return {
    ofThisNode: true,
    async check() {},
    find,
    async *list(prefix) {
      const names = await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => [])
      for (const name of names.filter((one) => one.startsWith(prefix)).sort()) {
        const found = await find(name)
        if (found) yield found
      }
    },
    open(name, range) {
      if (range?.bytes === 0) return Readable.from([])
      const part = range ? { start: range.from, end: range.from + range.bytes - 1 } : {}
      return Readable.from(contentOf(pathOf(name), part), { objectMode: false })
    },
    withLocalFile: async (name, work) => work(await followed(pathOf(name))),
    draft,
    async keep() {},
    async take(name, path) {
      const temporary = `${await draft(name)}.${crypto.randomUUID()}.part`
      await copyFile(path, temporary)
      await rename(temporary, pathOf(name))
    },
    async put(name, content) {
      const temporary = `${await draft(name)}.${crypto.randomUUID()}.part`
      await writeFile(temporary, content, { mode: 0o600 })
      await rename(temporary, pathOf(name))
    },
    async remove(name) {
      await rm(pathOf(name), { force: true })
      // Fails unless it was the last recording of its day.
      await rmdir(dirname(pathOf(name))).catch(() => {})
    },
    async *olderThan(date) {
      for (const day of await readdir(folder).catch(() => [])) {
        // The folder is the day: whole folders are skipped without reading them.
        const began = dayIn(`${day}/`)
        if (began === undefined || began >= date.getTime()) continue
        for (const file of await readdir(join(folder, day))) {
          // The age of a link is its own: the place where its recording lies may be gone.
          const found = await lstat(join(folder, day, file)).catch(() => undefined)
          if (found && found.mtime < date) yield `${day}/${file}`
        }
      }
    },
  }
}

/**
 * A recording that an import has left where it lies is a link to its place, which leads over no other
 * link (domains/terminal/arriving/recordings.ts). Answers the path of the file itself. Throws ELOOP where
 * another link was put there since.
 */
async function followed(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined)
  if (target === undefined) return path
  await refuseLinks(target)
  return target
}

async function* contentOf(path: string, part: { start?: number; end?: number }): AsyncGenerator<Buffer> {
  yield* readNoFollow(await followed(path), { ...part, highWaterMark: 256 * 1024 })
}
