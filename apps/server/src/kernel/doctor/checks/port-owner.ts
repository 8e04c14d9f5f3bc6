import { readdir, readFile, readlink } from 'node:fs/promises'

/** A listening socket in /proc/net/tcp has it (proc_net_tcp(5)). */
const LISTENS = '0A'

/** A process that listens on a port of this machine. */
export interface PortOwner {
  pid: number
  /** The program's short name. */
  name: string
}

/**
 * The listener of that TCP port; undefined where that cannot be seen: another account's process, or no
 * Linux.
 * @param likely a process to look at first
 */
export async function portOwner(port: number, likely: number | undefined): Promise<PortOwner | undefined> {
  const sockets = await listeningSockets(port)
  if (!sockets.size) return undefined
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of likely === undefined ? all : [likely, ...all])
    if (await holds(pid, sockets)) return { pid, name: await nameOf(pid) }
  return undefined
}

/** As processes name them: `socket:[4711]`. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = tables.flatMap((table) => table.split('\n').slice(1)).map((row) => row.trim().split(/\s+/))
  return new Set(
    rows.flatMap(([, address, , state, , , , , , inode]) =>
      address?.endsWith(wanted) && state === LISTENS ? [`socket:[${inode}]`] : [],
    ),
  )
}

async function holds(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  for (const name of await readdir(folder).catch(() => []))
    if (sockets.has(await readlink(`${folder}/${name}`).catch(() => ''))) return true
  return false
}

const nameOf = async (pid: number) => (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
