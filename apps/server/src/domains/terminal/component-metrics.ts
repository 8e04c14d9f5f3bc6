import { TERMINAL_TYPES } from '@sallyport/contract/resources/terminal/terminal.ts'
import { sql } from 'drizzle-orm'
import { Gauge, Registry } from 'prom-client'
import type { Database } from '../../kernel/database/database.ts'
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

/**
 * GET components/metrics/ and prometheus/metrics/: how many components of each kind there are, and
 * their state.
 */
export function registerComponentMetrics({ app, db }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/terminal/components/metrics/',
    config: { access: ['super_admin'], summary: 'Terminal: components by kind and load', rows: COUNTS },
    handler: () => countsOf(db),
  })
  app.route({
    method: 'GET',
    url: '/api/v1/prometheus/metrics/',
    config: { access: ['anonymous'], summary: 'Terminal: components by kind and load, as Prometheus text' },
    handler: async (_request, reply) => {
      reply.type(Registry.PROMETHEUS_CONTENT_TYPE)
      return prometheusText(await countsOf(db))
    },
  })
}

type Counts = { type: string; session_active: number } & Record<'total' | (typeof STATUSES)[number], number>

const STATUSES = ['normal', 'high', 'critical', 'offline'] as const

async function countsOf(db: Database): Promise<Counts[]> {
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
}

/** Totals alone, since anybody may read them: neither names nor addresses. */
async function prometheusText(counts: readonly Counts[]): Promise<string> {
  const registry = new Registry()
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const components = gauge('sallyport_components', 'Components by kind and load', ['type', 'status'])
  const sessions = gauge('sallyport_components_sessions', 'Live sessions by kind of component', ['type'])
  for (const { type, session_active, ...count } of counts) {
    for (const status of STATUSES) components.set({ type, status }, count[status])
    sessions.set({ type }, session_active)
  }
  return registry.metrics()
}
