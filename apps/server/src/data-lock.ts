import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartRefusal } from './kernel/start-refusal.ts'

const NAME = 'sallyport.lock'

/**
 * Makes this process the only one that works on a data directory (made if missing). Takes over the
 * lock of a process that ended without removing it, and one that was copied along with the directory.
 * @returns removes the lock again
 * @throws StartRefusal naming the process that holds it, or saying why the directory cannot be used
 */
export function lockDataDirectory(directory: string): () => void {
  try {
    return lock(directory)
  } catch (error) {
    if (error instanceof StartRefusal || !(error as NodeJS.ErrnoException).syscall) throw error
    throw new StartRefusal(
      `The data directory ${directory} cannot be made or written to (${(error as Error).message}): let the account that Sallyport runs as write there, or name another folder in SALLYPORT_DATA_DIR`,
      { cause: error },
    )
  }
}

function lock(directory: string): () => void {
  const made = makeFolder(directory)
  // Root's database runs as another account, which must be able to pass through. Nobody else may
  // list the folder, and everything in it is private.
  if (made && process.getuid?.() === 0) chmodSync(directory, 0o711)
  const path = join(directory, NAME)
  const own = `${path}.${process.pid}`
  const content = `${process.pid} ${startOf(process.pid) ?? '-'} ${placeOf(directory)}\n`
  writeFileSync(own, content, { mode: 0o600 })
  try {
    // A link appears complete or not at all: nobody reads a lock without its pid.
    while (!tryTo(() => linkSync(own, path), 'EEXIST')) endStaleLock(path, placeOf(directory))
  } finally {
    rmSync(own, { force: true })
  }
  return () => {
    if (readLock(path) === content) rmSync(path, { force: true })
  }
}

/** The process that works on a data directory; undefined where none does. Throws where it cannot be read. */
export function processOn(directory: string): number | undefined {
  const content = readLock(join(directory, NAME))
  if (content === undefined) return undefined
  const [pid, start, lockedPlace] = content.trim().split(' ')
  return lockedPlace === placeOf(directory) && isRunning(Number(pid), start) ? Number(pid) : undefined
}

/**
 * Makes a folder and those above it; false when it is there. Node's own way to do that never ends
 * where a system says that there is no such place, as Linux does in /proc.
 */
function makeFolder(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  const above = dirname(path)
  if (!existsSync(above)) makeFolder(above)
  return tryTo(() => void mkdirSync(path, { mode: 0o700 }), 'EEXIST')
}

/** Which folder it is, whatever it is called: a copy of it is another. */
function placeOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true })
  return `${dev}:${ino}`
}

/** Removes the lock if its process has ended, or holds that of another place; throws if it runs. */
function endStaleLock(path: string, place: string): void {
  const content = readLock(path)
  if (content === undefined) return
  const [pid, start, lockedPlace] = content.trim().split(' ')
  if (lockedPlace === place && isRunning(Number(pid), start))
    throw new StartRefusal(`Sallyport already runs on this data directory, as process ${pid}`)
  // Two starts may see the same stale lock: what the second one moved away may be the first one's
  // new lock, and then goes back.
  const aside = `${path}.stale.${process.pid}`
  if (!tryTo(() => renameSync(path, aside), 'ENOENT')) return
  if (readLock(aside) !== content) tryTo(() => linkSync(aside, path), 'EEXIST')
  rmSync(aside, { force: true })
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Runs it; false when it fails with that code. */
function tryTo(work: () => void, code: string): boolean {
  try {
    work()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false
    throw error
  }
}

/**
 * Whether the very process that wrote the lock still runs: pids are reused, and in a container
 * every start has the same.
 */
function isRunning(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = startOf(pid)
  return now === undefined ? process.platform !== 'linux' : now === start
}

/**
 * When a process was started: boot id and clock ticks since boot (proc(5), field 22); undefined
 * where there is no /proc or no such process. A zombie counts as ended.
 */
function startOf(pid: number): string | undefined {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    if (state === 'Z' || state === 'X') return undefined
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[18]}`
  } catch {
    return undefined
  }
}
