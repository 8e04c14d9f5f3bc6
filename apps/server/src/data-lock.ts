import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'sallyport.lock'

/**
 * Makes this process the only one that works on a data directory (made if missing). Takes over the
 * lock of a process that ended without removing it.
 * @returns removes the lock again
 * @throws Error naming the process that holds it
 */
export function lockDataDirectory(directory: string): () => void {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 })
  // Root's database runs as another account, which must be able to pass through. Nobody else may
  // list the folder, and everything in it is private.
  if (made && process.getuid?.() === 0) chmodSync(directory, 0o711)
  const path = join(directory, NAME)
  const own = `${path}.${process.pid}`
  const content = `${process.pid} ${startOf(process.pid) ?? '-'}\n`
  writeFileSync(own, content, { mode: 0o600 })
  try {
    // A link appears complete or not at all: nobody reads a lock without its pid.
    while (!tryTo(() => linkSync(own, path), 'EEXIST')) endStaleLock(path)
  } finally {
    rmSync(own, { force: true })
  }
  return () => {
    if (readLock(path) === content) rmSync(path, { force: true })
  }
}

/** Removes the lock if its process has ended; throws if it runs. */
function endStaleLock(path: string): void {
  const content = readLock(path)
  if (content === undefined) return
  const [pid, start] = content.trim().split(' ')
  if (isRunning(Number(pid), start)) throw new Error(`Sallyport already runs on this data directory, as process ${pid}`)
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
