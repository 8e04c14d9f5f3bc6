import { and, asc, eq, inArray } from 'drizzle-orm'
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
        for (let n = 0; index && n < A_ROUND; n++) if (!(await bringBatch(kernel, storage.id, index))) break
      } catch (error) {
        kernel.app.log.warn({ err: error, storage: storage.id }, 'commands wait for their storage')
      }
    }),
  )
}

/** Answers whether there may be more to bring now. */
async function bringBatch(kernel: BringingKernel, storage: string, index: CommandIndex): Promise<boolean> {
  const { db } = kernel
  const rows = await db
    .select({ command: terminalCommand, statement: terminalStatement })
    .from(terminalCommand)
    .leftJoin(terminalStatement, eq(terminalStatement.command, terminalCommand.id))
    .where(eq(terminalCommand.due, storage))
    .orderBy(asc(terminalCommand.timestamp))
    .limit(BATCH)
  if (!rows.length) return false
  const brought = await index.bring(rows.map(({ command, statement }) => outside(command, statement)))
  await settle(kernel, storage, brought)
  const settled = brought.stored.length + brought.refused.length
  if (settled < rows.length) throw new Error(`${rows.length - settled} of ${rows.length} commands were put off`)
  return rows.length === BATCH
}

function outside(
  { due: _, ...command }: typeof terminalCommand.$inferSelect,
  found: typeof terminalStatement.$inferSelect | null,
): CommandOutside {
  if (!found) return command
  const { command: __, ...statement } = found
  return { ...command, statement }
}

async function settle({ app, db }: BringingKernel, storage: string, { stored, refused }: Brought): Promise<void> {
  const { id, due } = terminalCommand
  const among = (ids: string[]) => and(inArray(id, ids), eq(due, storage))
  // What belongs to a row goes with it.
  if (stored.length)
    await db.transaction(async (inside) => {
      const { timestamp } = terminalCommand
      const gone = await inside.delete(terminalCommand).where(among(stored)).returning({ id, timestamp })
      await chainMovedCommands(inside, storage, gone)
    })
  if (!refused.length) return
  const ids = refused.map((one) => one.id)
  await db.update(terminalCommand).set({ due: null }).where(among(ids))
  app.log.error({ storage, refused: refused.slice(0, 5), count: refused.length }, 'commands stay with the server')
}
