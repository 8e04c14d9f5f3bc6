import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Linux's file system in memory. A database is a thousand files, and tests make hundreds: on a disk that
 * costs up to a second of a processor each, in memory a fortieth of it, and nobody waits for the disk.
 */
const IN_MEMORY = '/dev/shm'
/** More than all tests take at a time. */
const ROOM = 2 * 1024 ** 3
const NAME = 'sallyport-'
const HOUR_MS = 3_600_000

/**
 * A folder for a test run, open to all accounts as `/tmp` is: in memory where there is room and programs
 * run from there, else beside other temporary files.
 */
export async function makeTemporaryFolder(): Promise<string> {
  await removeLeftOvers()
  const space = await statfs(IN_MEMORY).catch(() => undefined)
  if (!space || space.bavail * space.bsize < ROOM) return make(tmpdir())
  const folder = await make(IN_MEMORY)
  if (await runsPrograms(folder)) return folder
  await rm(folder, { recursive: true })
  return make(tmpdir())
}

/** The name is short: sockets lie below it, whose paths the kernel limits. */
async function make(place: string): Promise<string> {
  const folder = await mkdtemp(join(place, NAME))
  await chmod(folder, 0o1777)
  return folder
}

/**
 * Removes files that a run which was cut off at its end has left in memory. One that still runs has
 * a running database; its process may not be seen from here.
 */
async function removeLeftOvers(): Promise<void> {
  for (const name of await readdir(IN_MEMORY).catch(() => [])) {
    const folder = join(IN_MEMORY, name)
    if (!name.startsWith(NAME) || existsSync(join(folder, 'postgres/postmaster.pid'))) continue
    const made = await stat(folder).catch(() => undefined)
    if (made && Date.now() - made.mtimeMs > HOUR_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Containers often mount it so that none may be run. */
async function runsPrograms(folder: string): Promise<boolean> {
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  } finally {
    await rm(program)
  }
}
