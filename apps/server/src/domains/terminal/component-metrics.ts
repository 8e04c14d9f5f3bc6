import { TERMINAL_TYPES } from '@sallyport/contract/resources/terminal/terminal.ts'
import { sql } from 'drizzle-orm'
import { Gauge, Registry } from 'prom-client'
import type { Database } from '../../kernel/database/database.ts'
import { mayMeasure } from '../../kernel/http/metrics.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { terminalSession, terminalTerminal } from './tables.ts'
import { loadStatus, silencesNow } from './terminal.resource.ts'

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
export function registerComponentMetrics({ app, db, config }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/terminal/components/metrics/',
    config: {
      access: ['super_admin'],
      needsLicense: true,
      summary: 'Terminal: components by kind and load',
      rows: COUNTS,
      answers: 'rows',
    },
    handler: async () => countsOf(await componentsOf(db)),
  })
  app.route({
    method: 'GET',
    url: '/api/v1/prometheus/metrics/',
    // The token is none of a person's.
    config: {
      access: ['anonymous'],
      withoutCaller: true,
      summary: 'Terminal: components by kind and load, as Prometheus text',
      answers: 'text',
    },
    handler: async (request, reply) => {
      reply.type(Registry.PROMETHEUS_CONTENT_TYPE)
      const components = await componentsOf(db)
      return prometheusText(countsOf(components), mayMeasure(request, config.metricsToken) ? components : [])
    },
  })
}

type Counts = { type: string; session_active: number } & Record<'total' | (typeof STATUSES)[number], number>

/** Prefix of every metric, by the names that existing collectors know. */
const PREFIX = 'jumpserver_components_'

const STATUSES = ['normal', 'high', 'critical', 'offline'] as const

interface Component {
  row: typeof terminalTerminal.$inferSelect
  status: (typeof STATUSES)[number]
  sessions: number
}

async function componentsOf(db: Database): Promise<Component[]> {
  const terminals = await db.select().from(terminalTerminal)
  const silence = await silencesNow(db)
  const live = await db
    .select({ terminal: terminalSession.terminal, count: sql<number>`count(*)::int` })
    .from(terminalSession)
    .where(sql`NOT ${terminalSession.is_finished}`)
    .groupBy(terminalSession.terminal)
  const sessions = new Map(live.map((row) => [row.terminal, row.count]))
  return terminals.map((row) => ({ row, status: loadStatus(row, silence), sessions: sessions.get(row.id) ?? 0 }))
}

const isLiving = ({ status }: Component) => status !== 'offline'

function countsOf(components: readonly Component[]): Counts[] {
  return Object.keys(TERMINAL_TYPES).map((type) => {
    const some = components.filter(({ row }) => row.type === type)
    const count = (status: string) => some.filter((one) => one.status === status).length
    return {
      type,
      total: some.length,
      normal: count('normal'),
      high: count('high'),
      critical: count('critical'),
      offline: count('offline'),
      session_active: some.filter(isLiving).reduce((sum, { sessions }) => sum + sessions, 0),
    }
  })
}

/** Figures of one component as the contract names them, each by an older name as well. */
const FIGURES: readonly [names: readonly string[], help: string, of: (component: Component) => number][] = [
  [['cpu_load', 'system_cpu_load_1'], 'Load of the machine', ({ row }) => row.cpu_load],
  [['memory_used', 'system_memory_used_percent'], 'Memory in use, percent', ({ row }) => row.memory_used],
  [['disk_used', 'system_disk_used_percent'], 'Disk in use, percent', ({ row }) => row.disk_used],
  [['session_online', 'session_active_count'], 'Live sessions', ({ sessions }) => sessions],
]

/**
 * Totals, since anybody may read them, under names of our own and under those that existing
 * collectors know (docs/rules/terminal.md#component_metrics).
 * @param named those that this caller may know by name
 */
async function prometheusText(counts: readonly Counts[], named: readonly Component[]): Promise<string> {
  const registry = new Registry()
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const components = gauge('sallyport_components', 'Components by kind and load', ['type', 'status'])
  const sessions = gauge('sallyport_components_sessions', 'Live sessions by kind of component', ['type'])
  const total = gauge(`${PREFIX}status_total`, 'Components by kind and load', ['component_type', 'status'])
  const active = gauge(`${PREFIX}session_active_total`, 'Live sessions by kind of component', ['component_type'])
  for (const { type, session_active, ...count } of counts) {
    for (const status of STATUSES) {
      components.set({ type, status }, count[status])
      total.set({ component_type: type, status }, count[status])
    }
    total.set({ component_type: type, status: 'any' }, count.total)
    sessions.set({ type }, session_active)
    active.set({ component_type: type }, session_active)
  }
  const living = named.filter(isLiving)
  for (const [names, help, of] of living.length ? FIGURES : [])
    for (const name of names) {
      const figure = gauge(`${PREFIX}${name}`, help, ['component_type', 'component'])
      for (const one of living) figure.set({ component_type: one.row.type, component: one.row.name }, of(one))
    }
  return registry.metrics()
}
