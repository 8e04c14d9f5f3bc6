import { TERMINAL_TYPES } from '@sallyport/contract/resources/terminal/terminal.ts'
import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { terminalSession, terminalTerminal } from './tables.ts'
import { loadStatus } from './terminal.ts'

const COUNTS = {
  fields: plainFields({
    type: 'string',
    total: 'integer',
    normal: 'integer',
    high: 'integer',
    critical: 'integer',
    offline: 'integer',
    session_active: 'integer',
  }),
}

/** GET components/metrics/: how many components of each kind there are, and their state. */
export function registerComponentMetrics({ app, db }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/terminal/components/metrics/',
    config: { access: ['super_admin'], summary: 'Terminal: components by kind and load', rows: COUNTS },
    handler: async () => {
      const terminals = await db.select().from(terminalTerminal)
      const live = await db
        .select({ terminal: terminalSession.terminal, count: sql<number>`count(*)::int` })
        .from(terminalSession)
        .where(sql`NOT ${terminalSession.is_finished}`)
        .groupBy(terminalSession.terminal)
      const sessions = new Map(live.map((row) => [row.terminal, row.count]))
      return Object.keys(TERMINAL_TYPES).map((type) => {
        const some = terminals.filter((row) => row.type === type)
        const count = (status: string) => some.filter((row) => loadStatus(row) === status).length
        return {
          type,
          total: some.length,
          normal: count('normal'),
          high: count('high'),
          critical: count('critical'),
          offline: count('offline'),
          session_active: some.reduce((sum, row) => sum + (sessions.get(row.id) ?? 0), 0),
        }
      })
    },
  })
}
