import { type SQL, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { commandIndexOf } from './commands/elastic/command-indices.ts'
import { recordingStore } from './recording/replay-file.ts'
import { bucketOf, isOutside } from './recording/storages/outside-stores.ts'
import { terminalCommand, terminalCommandStorage, terminalReplayStorage, terminalSession } from './tables.ts'

/** Figures for the system monitor, counted once a minute, each by one index. */
export const terminalFigures = {
  sessions: sql`(SELECT count(*) FROM ${terminalSession} WHERE NOT is_finished)`,
  recordings_waiting: sql`(SELECT count(*) FROM ${terminalSession} WHERE replay_due IS NOT NULL)`,
  recordings_oldest: sql`(SELECT extract(epoch FROM now() - min(coalesce(date_end, date_start))) FROM ${terminalSession}
    WHERE replay_due IS NOT NULL)`,
  commands_waiting: sql`(SELECT count(*) FROM ${terminalCommand} WHERE due IS NOT NULL)`,
  commands_oldest: sql`(SELECT extract(epoch FROM now()) - min(timestamp) FROM ${terminalCommand} WHERE due IS NOT NULL)`,
} satisfies Record<string, SQL>

/** Live sessions of one terminal. */
export const sessionsOfTerminal = (terminal: SQL): SQL =>
  sql`(SELECT count(*) FROM ${terminalSession} s WHERE NOT s.is_finished AND s.terminal = ${terminal})`

/** Components of others may say something else, which is no session's. */
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * For each terminal and minute between two times: `opened` sessions, and `commands` that are in the
 * built-in store. As the rows of a FROM, with `terminal` and `at`.
 */
export const busiestMinutes = (from: SQL, to: SQL): SQL => sql`(
  SELECT terminal, date_trunc('minute', date_start) AS at, count(*) AS opened, 0 AS commands
  FROM ${terminalSession} WHERE date_start > ${from} AND date_start <= ${to} GROUP BY 1, 2
  UNION ALL
  SELECT session.terminal, date_trunc('minute', to_timestamp(command.timestamp)), 0, count(*)
  FROM ${terminalCommand} AS command JOIN ${terminalSession} AS session
    ON session.id = CASE WHEN command.session ~ ${UUID} THEN command.session::uuid END
  WHERE command.timestamp > extract(epoch FROM ${from}) AND command.timestamp <= extract(epoch FROM ${to})
  GROUP BY 1, 2)`

/** A storage outside, and how to find out whether it can be used. */
export interface OutsideStorage {
  id: string
  kind: 'replay' | 'command' | 'recordings'
  name: string
  /** Throws what is wrong, see `storageFault`. */
  check(): Promise<unknown>
}

/** The one that all nodes share has no row. */
const SHARED_STORE_ID = '00000000-0000-0000-0000-000000000000'

/** Every storage outside; those whose place can't be read fail their check. */
export async function outsideStorages(
  kernel: Pick<Kernel, 'db' | 'config' | 'secrets'>,
): Promise<readonly OutsideStorage[]> {
  const { db, config } = kernel
  const replays = (await db.select().from(terminalReplayStorage)).filter(isOutside)
  const commands = await db.select().from(terminalCommandStorage)
  const shared = recordingStore(config)
  return [
    ...(shared.ofThisNode
      ? []
      : [
          {
            id: SHARED_STORE_ID,
            kind: 'recordings' as const,
            name: config.recordings?.bucket ?? '',
            check: () => shared.check(),
          },
        ]),
    ...replays.map((row) => ({
      id: row.id,
      kind: 'replay' as const,
      name: row.name,
      check: async () => bucketOf(kernel, row).check(),
    })),
    ...commands.flatMap((row) =>
      row.type === 'es'
        ? [
            {
              id: row.id,
              kind: 'command' as const,
              name: row.name,
              check: async () => commandIndexOf(kernel, row)?.check(),
            },
          ]
        : [],
    ),
  ]
}
