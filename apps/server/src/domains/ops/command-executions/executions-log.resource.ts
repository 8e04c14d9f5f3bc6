import { commandExecutionHost } from '@sallyport/contract/resources/audits/command-execution-host.ts'
import { commandExecutionLog } from '@sallyport/contract/resources/audits/command-execution-log.ts'
import { sql } from 'drizzle-orm'
import { isRoot } from '../../../kernel/access/call.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { dateRange } from '../../../kernel/resource/lists/date-range.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { opsCommandExecution, opsCommandExecutionHost } from '../tables.ts'
import { hostNames, namesNow } from './host-names.ts'
import { namedBy } from './named-by.ts'
import { resultsOf } from './results.ts'

/**
 * The batch commands of all people for auditors, and the machines they ran on. They are among the
 * audits on the wire; audits know nothing of what runs, so they are mounted here.
 */
export default function mountExecutionsLog(kernel: Kernel): void {
  const { id, user_display, run_as_display, date_start } = opsCommandExecution
  mountResource(kernel, commandExecutionLog, {
    table: opsCommandExecution,
    columns: [
      'id',
      'org_id',
      'user',
      'user_display',
      'on_behalf_of',
      'run_as',
      'run_as_display',
      'command',
      'error',
      'is_finished',
      'date_start',
    ],
    relations: {
      hosts: {
        table: opsCommandExecutionHost,
        owner: opsCommandExecutionHost.commandexecution,
        target: opsCommandExecutionHost.asset,
      },
    },
    filters: {
      ...dateRange(date_start),
      ...namedBy(user_display, run_as_display),
    },
    computed: [
      {
        fields: ['result'],
        load: async (rows, context) => (await resultsOf(rows, context)).map((result) => ({ result })),
      },
      {
        fields: ['is_success', 'user_display', 'run_as_display'],
        load: async (rows) =>
          rows.map((row) => ({
            is_success: row.error === '',
            user_display: row.user_display,
            run_as_display: row.run_as_display,
          })),
      },
      { fields: ['hosts_display'], load: hostNames },
    ],
  })
  mountResource(kernel, commandExecutionHost, {
    table: opsCommandExecutionHost,
    // Without what was written there, which is long.
    columns: ['id', 'commandexecution', 'asset', 'name'],
    scope: ({ call }) =>
      isRoot(call)
        ? undefined
        : sql`EXISTS (SELECT 1 FROM ${opsCommandExecution} WHERE ${id} = ${opsCommandExecutionHost.commandexecution} AND ${opsCommandExecution.org_id} = ${call.org.id})`,
    search: (pattern) => sql`${opsCommandExecutionHost.name} ILIKE ${pattern}`,
    computed: [
      {
        fields: ['asset_display'],
        load: async (rows, context) => (await namesNow(rows, context)).map((asset_display) => ({ asset_display })),
      },
    ],
  })
}
