import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface PostmasterFile {
  pid: number
  /** Whether it came here with a copy of another server's files: that one may well be running. */
  isCopy: boolean
  socketFolder: string | undefined
  /** `starting`, `ready`, `stopping`, `standby`; empty in the first moments. */
  status: string
}

/** Signals to send in turn, and milliseconds to wait after each. */
const STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const
const POLL_MS = 20

/**
 * Reads PostgreSQL's lock file (postmaster.pid: pid, folder, start time, port, socket folder,
 * address, shared memory, status); undefined when there is none.
 */
export async function readPostmasterFile(directory: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, folder = '', , , socketFolder, , , status] = text.split('\n').map((line) => line.trim())
  if (!pid || !Number(pid)) return undefined
  const isCopy = folder !== directory && (await realpath(folder).catch(() => '')) !== (await realpath(directory))
  return { pid: Math.abs(Number(pid)), isCopy, socketFolder: socketFolder || undefined, status: status ?? '' }
}

/**
 * Ends a server, or what is left of one, that still runs on these files because its parent was
 * killed, and removes its lock files. PostgreSQL would remove them by itself unless another process
 * of this account has got the same pid since, or nobody has reaped the killed one (containers
 * without an init): then it would not start until a person steps in.
 */
export async function endOrphan(directory: string, log: (line: string) => void): Promise<void> {
  const file = await readPostmasterFile(directory)
  if (!file) return
  if ((await processesOn(directory, file)).length) log(`ending a PostgreSQL that was left behind (process ${file.pid})`)
  for (const [signal, limit] of STEPS) {
    if (await endWith(signal, limit, directory, file)) return removeLocks(directory)
  }
  throw new Error(`A PostgreSQL that was left behind on ${directory} does not end: stop process ${file.pid}`)
}

async function removeLocks(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === 'postmaster.pid' || /^\.s\.PGSQL\.\d+(\.lock)?$/.test(name))
      await rm(join(directory, name), { force: true })
  }
}

/** Sends the signal to each process and waits; true when none is left. */
async function endWith(
  signal: NodeJS.Signals,
  limit: number,
  directory: string,
  file: PostmasterFile,
): Promise<boolean> {
  const running = await processesOn(directory, file)
  for (const pid of running.includes(file.pid) ? [file.pid] : running) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended in between.
    }
  }
  const deadline = Date.now() + limit
  while ((await processesOn(directory, file)).length) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return true
}

/**
 * Processes of a server on these files: their working directory is that folder. A pid alone proves
 * nothing, as pids are reused.
 */
async function processesOn(
  directory: string,
  { pid: postmaster, isCopy }: Pick<PostmasterFile, 'pid' | 'isCopy'>,
): Promise<number[]> {
  if (process.platform !== 'linux') return !isCopy && isAlive(postmaster) ? [postmaster] : []
  const folder = await realpath(directory)
  const found: number[] = []
  for (const pid of (await readdir('/proc')).map(Number).filter(Boolean)) {
    // Where the system hides other accounts' working directories (containers do), the server itself
    // is recognized by its parameters.
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    if (cwd === folder || (cwd === undefined && pid === postmaster && (await isServerOn(pid, directory))))
      found.push(pid)
  }
  return found
}

async function isServerOn(pid: number, directory: string): Promise<boolean> {
  const parameters = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  return parameters.includes('-D') && parameters.includes(directory)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
