import { statfs } from 'node:fs/promises'
import { freemem, loadavg, totalmem } from 'node:os'
import { eq, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { terminalTerminal } from './tables.ts'

export interface BuiltinTerminal {
  /** `koko` is the gateway. */
  type: 'koko' | 'core' | 'celery'
  /**
   * Identifies the node, such as `[KoKo]-hostname`; a node that comes back under its name keeps its
   * row.
   */
  name: string
  remoteAddress: string
  httpPort?: number
  sshPort?: number
}

/** Registers a part of this server as a component. Answers its terminal id. */
export async function registerBuiltinTerminal(
  { db }: Pick<Kernel, 'db'>,
  { type, name, remoteAddress, httpPort, sshPort }: BuiltinTerminal,
): Promise<string> {
  const ports = { ...(httpPort ? { http_port: httpPort } : {}), ...(sshPort ? { ssh_port: sshPort } : {}) }
  const [row] = await db
    .insert(terminalTerminal)
    .values({
      type,
      name: name.slice(0, 128),
      remote_addr: remoteAddress,
      ...ports,
      is_builtin: true,
      is_accepted: true,
      date_last_seen: sql`now()`,
    })
    .onConflictDoUpdate({
      target: [terminalTerminal.type, terminalTerminal.name],
      targetWhere: sql`is_builtin`,
      set: { remote_addr: remoteAddress, ...ports, date_last_seen: sql`now()` },
    })
    .returning({ id: terminalTerminal.id })
  if (!row) throw new Error('terminal was not registered')
  return row.id
}

/**
 * Stores that a part of this server is alive, with the machine's load, memory and disk use in
 * percent.
 */
export async function noteBuiltinAlive(
  { db, config }: Pick<Kernel, 'db' | 'config'>,
  terminalId: string,
): Promise<void> {
  const disk = await statfs(config.dataDirectory).catch(() => undefined)
  await db
    .update(terminalTerminal)
    .set({
      date_last_seen: sql`now()`,
      cpu_load: loadavg()[0] ?? 0,
      memory_used: (1 - freemem() / totalmem()) * 100,
      disk_used: disk?.blocks ? (1 - disk.bavail / disk.blocks) * 100 : 0,
    })
    .where(eq(terminalTerminal.id, terminalId))
}
