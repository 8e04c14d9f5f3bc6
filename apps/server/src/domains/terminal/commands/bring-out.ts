import { and, asc, eq, gte, inArray } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { chainMovedCommands } from '../../audits/index.ts'
import { terminalCommand, terminalCommandStorage, terminalStatement } from '../tables.ts'
import type { Brought, CommandIndex } from './elastic/command-index.ts'
import { commandIndexOf } from './elastic/command-indices.ts'
import type { CommandOutside } from './elastic/document.ts'

type BringingKernel = Pick<Kernel, 'app' | 'db' | 'secrets' | 'config'>

const BATCH = 500
/** Batches of a storage in one round; the next round goes on. */
const A_ROUND = 200

/**
 * Brings the commands that are due to their storages, the oldest first. A row leaves the server once
 * the storage has confirmed it; what it does not take now waits for the next round, and what it never
 * takes stays with the server.
 */
export async function bringCommandsOut(kernel: BringingKernel): Promise<void> {
  const storages = await kernel.db.select().from(terminalCommandStorage).where(eq(terminalCommandStorage.type, 'es'))
  await Promise.all(
    storages.map(async (storage) => {
      try {
        const index = commandIndexOf(kernel, storage)
        if (index) await bringToStorage(kernel, storage.id, index)
      } catch (error) {
        kernel.app.log.warn({ err: error, storage: storage.id }, 'commands wait for their storage')
      }
    }),
  )
}

/**
 * One index of a day may take nothing while the others do. What it puts off waits there until the
 * next round, and this one goes on behind it.
 */
async function bringToStorage(kernel: BringingKernel, storage: string, index: CommandIndex): Promise<void> {
  const putOff = { rows: 0, first: 0 }
  let since = 0
  for (let n = 0; n < A_ROUND && Number.isFinite(since); n++) {
    const { rows, waiting } = await bringBatch(kernel, storage, index, since)
    const [first, last] = [waiting[0], waiting.at(-1)]
    if (first !== undefined && last !== undefined) {
      putOff.first ||= first
      putOff.rows += waiting.length
      since = index.indexEndsAt(last)
    }
    if (rows < BATCH) break
  }
  if (putOff.rows)
    kernel.app.log.warn({ storage, rows: putOff.rows, first: putOff.first }, 'commands were put off by their storage')
}

/** Brings the oldest from `since` on; answers how many there were, and when those are from that it put off. */
async function bringBatch(
  kernel: BringingKernel,
  storage: string,
  index: CommandIndex,
  since: number,
): Promise<{ rows: number; waiting: number[] }> {
  const { db } = kernel
  const rows = await db
    .select({ command: terminalCommand, statement: terminalStatement })
    .from(terminalCommand)
    .leftJoin(terminalStatement, eq(terminalStatement.command, terminalCommand.id))
    .where(and(eq(terminalCommand.due, storage), gte(terminalCommand.timestamp, since)))
    .orderBy(asc(terminalCommand.timestamp))
    .limit(BATCH)
  if (!rows.length) return { rows: 0, waiting: [] }
  const brought = await index.bring(rows.map(({ command, statement }) => outside(command, statement)))
  await settle(kernel, storage, brought)
  const settled = new Set([...brought.stored, ...brought.refused.map(({ id }) => id)])
  const waiting = rows.flatMap(({ command }) => (settled.has(command.id) ? [] : [command.timestamp]))
  return { rows: rows.length, waiting }
}

function outside(
  { due: _, ...command }: typeof terminalCommand.$inferSelect,
  found: typeof terminalStatement.$inferSelect | null,
): CommandOutside {
  if (!found) return command
  const { command: __, ...statement } = found
  return { ...command, statement }
}

async function settle(kernel: BringingKernel, storage: string, { stored, refused }: Brought): Promise<void> {
  const { app, db } = kernel
  const { id, due } = terminalCommand
  const among = (ids: string[]) => and(inArray(id, ids), eq(due, storage))
  // What belongs to a row goes with it.
  if (stored.length)
    await db.transaction(async (inside) => {
      const { timestamp } = terminalCommand
      const gone = await inside.delete(terminalCommand).where(among(stored)).returning({ id, timestamp })
      await chainMovedCommands(kernel, inside, storage, gone)
    })
  if (!refused.length) return
  const ids = refused.map((one) => one.id)
  await db.update(terminalCommand).set({ due: null }).where(among(ids))
  app.log.error({ storage, refused: refused.slice(0, 5), count: refused.length }, 'commands stay with the server')
}
