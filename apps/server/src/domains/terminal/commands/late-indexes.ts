import { anyIndexMissing, type LateIndex, makeLateIndexes } from '../../../kernel/database/late-indexes.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

/** As the migration `terminal_command_newest` makes them where the table is small. */
export const COMMAND_INDEXES: readonly LateIndex[] = [
  {
    name: 'terminal_command__newest',
    on: 'ON terminal_command (org_id, timestamp DESC, id DESC) WHERE due IS NULL',
    insteadOf: ['terminal_command__org_id__timestamp'],
  },
  {
    name: 'terminal_command__risky',
    on: `ON terminal_command (timestamp DESC, id DESC)
      INCLUDE (org_id, "user", asset, "system_user", input, session, risk_level, ticket, due) WHERE risk_level = 5`,
    insteadOf: ['terminal_command__dangerous'],
  },
]

/** Has the indexes of commands made while people work, after an upgrade of an installation with many. */
export function scheduleCommandIndexes({ jobs, pool, app }: Kernel): void {
  jobs.schedule(
    {
      name: 'terminal.make_indexes',
      cron: '* * * * *',
      title: 'Make indexes of commands after an upgrade',
      isEssential: true,
      hasWork: () => anyIndexMissing(COMMAND_INDEXES),
    },
    async () => {
      for (const index of await makeLateIndexes(pool, COMMAND_INDEXES)) app.log.info({ index }, 'an index was made')
    },
  )
}
