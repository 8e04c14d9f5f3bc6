import type { Figures, NodeFigure, SharedFigure } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { forwardingFigures } from '../audits/index.ts'
import { sessionsOfTerminal, terminalFigures } from '../terminal/index.ts'
import { monitorSample, monitorStorage } from './tables.ts'
import type { OwnFigures } from './this-node.ts'

const due = sql`FROM kernel_job WHERE state = 'waiting' AND date_due <= now()`

/** How each figure of the installation is found. */
const SHARED: Readonly<Record<SharedFigure, SQL>> = {
  ...terminalFigures,
  ...forwardingFigures,
  database_bytes: sql`pg_database_size(current_database())`,
  database_connections: sql`(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())`,
  jobs_waiting: sql`(SELECT count(*) ${due})`,
  jobs_oldest: sql`(SELECT extract(epoch FROM now() - min(date_due)) ${due})`,
  jobs_failed: sql`(SELECT count(*) FROM kernel_job WHERE state = 'failed' AND date_finished > now() - interval '1 hour')`,
  storages_away: sql`(SELECT count(*) FROM ${monitorStorage} WHERE is_away)`,
}

const shared = sql.join(
  Object.entries(SHARED).map(
    ([name, figure]) => sql`${sql.raw(`'${name}'`)}, round(coalesce(${figure}, 0)::numeric, 3)`,
  ),
  sql`, `,
)

export interface Sample {
  /** The minute. */
  at: Date
  /** The installation's figures; only for the node that took them, which is one in each minute. */
  shared: Figures<SharedFigure> | undefined
}

/**
 * Stores what this node has measured in the minute, and the installation's figures where no other
 * node has yet: one statement, by the database's clock. Undefined when the minute has its row already.
 * @param at for tests: another time than now
 */
export async function takeSample(kernel: Kernel, own: OwnFigures, at?: Date): Promise<Sample | undefined> {
  const { db, nodes } = kernel
  const minute = sql`date_trunc('minute', ${at ? sql`${at.toISOString()}::timestamptz` : sql`now()`})`
  const figures = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, Math.round(value * 10) / 10]))
  const terminal = sql`(SELECT terminal FROM kernel_node WHERE id = ${nodes.id})`
  const { rows } = await db.execute<{ at: string; shared: Figures<SharedFigure> | null }>(sql`
    WITH shared AS (
      INSERT INTO ${monitorSample} (at, minutes, figures)
      SELECT ${minute}, 1, jsonb_build_object(${shared})
      WHERE NOT EXISTS (SELECT FROM ${monitorSample} WHERE minutes = 1 AND node IS NULL AND at = ${minute})
      ON CONFLICT DO NOTHING RETURNING figures)
    INSERT INTO ${monitorSample} (node, at, minutes, figures)
    VALUES (${nodes.id}, ${minute}, 1,
      ${JSON.stringify(figures)}::jsonb || jsonb_build_object('sessions', ${sessionsOfTerminal(terminal)}))
    ON CONFLICT DO NOTHING RETURNING at, (SELECT figures FROM shared) AS shared`)
  const [row] = rows
  return row && { at: new Date(row.at), shared: row.shared ?? undefined }
}

/** The newest figures of each node (by its id) and of the installation (''), of the last minutes. */
export async function newestFigures(
  { db }: Pick<Kernel, 'db'>,
  minutes = 3,
): Promise<Map<string, { at: Date; figures: Figures<NodeFigure | SharedFigure> }>> {
  const { rows } = await db.execute<{ node: string | null; at: string; figures: Record<string, number> }>(sql`
    SELECT DISTINCT ON (node) node, at, figures FROM ${monitorSample}
    WHERE minutes = 1 AND at > now() - make_interval(mins => ${minutes}) ORDER BY node, at DESC`)
  return new Map(rows.map(({ node, at, figures }) => [node ?? '', { at: new Date(at), figures }]))
}
