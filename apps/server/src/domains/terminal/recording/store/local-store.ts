import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { RecordingStore } from './recording-store.ts'

/**
 * Recordings in a folder of this node, by day. A file is made at the place where it stays: to keep
 * it is nothing more.
 */
export function createLocalStore(folder: string): RecordingStore {
  const pathOf = (name: string) => join(folder, name)
  return {
    async find(name) {
      const found = await stat(pathOf(name)).catch(() => undefined)
      if (!found?.isFile()) return undefined
      return { name, bytes: found.size, version: `${found.mtimeMs} ${found.ctimeMs} ${found.size}` }
    },
    open(name, range) {
      if (range?.bytes === 0) return Readable.from([])
      if (!range) return createReadStream(pathOf(name), { highWaterMark: 256 * 1024 })
      return createReadStream(pathOf(name), {
        start: range.from,
        end: range.from + range.bytes - 1,
        highWaterMark: 256 * 1024,
      })
    },
    withLocalFile: (name, work) => work(pathOf(name)),
    async draft(name) {
      await mkdir(dirname(pathOf(name)), { recursive: true, mode: 0o700 })
      return pathOf(name)
    },
    async keep() {},
    async remove(name) {
      await rm(pathOf(name), { force: true })
      // Not empty: the day has others.
      await rmdir(dirname(pathOf(name))).catch(() => {})
    },
    async *olderThan(date) {
      for (const day of await readdir(folder).catch(() => [])) {
        // The folder is the day: whole folders are passed over without looking at their files.
        if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Date.parse(day) >= date.getTime()) continue
        for (const file of await readdir(join(folder, day))) {
          const found = await stat(join(folder, day, file)).catch(() => undefined)
          if (found && found.mtime < date) yield `${day}/${file}`
        }
      }
    },
  }
}
