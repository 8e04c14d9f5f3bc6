import type { CommandNews } from '@sallyport/contract/socket/news.ts'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { opsCommandOutput } from '../tables.ts'

/**
 * EndNotice on every node when machines of a run wrote something or came further; the payload has the run
 * as `execution`, and `changed` where a machine came further.
 */
export const RUN_NEWS = 'ops.run_news'

/** Characters of output in one message. */
const MESSAGE_CHARACTERS = 128 * 1024

/** Output of a machine. */
export type OutputPiece = CommandNews['output'][number]

/** Keeps the output of machines for viewers, and publishes it to them. */
export async function publishRunNews(
  { db, events }: Pick<Kernel, 'db' | 'events'>,
  execution: string,
  { pieces = [], changed = false }: { pieces?: readonly OutputPiece[]; changed?: boolean },
): Promise<void> {
  if (pieces.length) await db.insert(opsCommandOutput).values(pieces.map((piece) => ({ ...piece, execution })))
  await events.publish(RUN_NEWS, { execution, changed })
}

/**
 * The output after a piece, oldest first, and the last piece of it; as much as goes into a message.
 */
export async function outputAfter(
  db: Database,
  execution: string,
  mark: number,
): Promise<{ output: OutputPiece[]; mark: number }> {
  const { rows } = await db.execute<OutputPiece & { id: string }>(sql`
    SELECT id, asset, stream, data FROM (
      SELECT *, sum(length(data)) OVER (ORDER BY id) - length(data) AS before FROM (
        SELECT * FROM ops_command_output WHERE execution = ${execution} AND id > ${mark} ORDER BY id LIMIT 500) next) page
    WHERE before < ${MESSAGE_CHARACTERS} ORDER BY id`)
  return {
    output: rows.map(({ asset, stream, data }) => ({ asset, stream, data })),
    mark: Number(rows.at(-1)?.id ?? mark),
  }
}

/** The run is over: its outcomes have all that is kept. */
export async function forgetOutput(db: Database, execution: string): Promise<void> {
  await db.delete(opsCommandOutput).where(eq(opsCommandOutput.execution, execution))
}
