import { type FigureUnit, NODE_FIGURES, SHARED_FIGURES } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { isNull, sql } from 'drizzle-orm'
import { Gauge, Registry } from 'prom-client'
import type { Kernel } from '../../kernel/kernel.ts'
import { newestFigures } from './sample.ts'
import { monitorAlarm } from './tables.ts'

/** Base units, and names that end in them (https://prometheus.io/docs/practices/naming/). */
const UNITS: Readonly<Record<FigureUnit, readonly [suffix: string, one: number]>> = {
  count: ['', 1],
  percent: ['_ratio', 100],
  bytes: ['_bytes', 1],
  milliseconds: ['_seconds', 1000],
  seconds: ['_seconds', 1],
}

/**
 * The newest figures of the system monitor as Prometheus text: those of this node, of all together,
 * and the alarms that last. A figure that was not measured in the last minutes is left out.
 */
export async function monitorMetrics(kernel: Kernel): Promise<string> {
  const { db, nodes } = kernel
  const [newest, alarms] = await Promise.all([
    newestFigures(kernel),
    db
      .select({ kind: monitorAlarm.kind, count: sql<number>`count(*)::int` })
      .from(monitorAlarm)
      .where(isNull(monitorAlarm.date_closed))
      .groupBy(monitorAlarm.kind),
  ])
  const registry = new Registry()
  const tell = (prefix: string, whose: string, figures: Readonly<Record<string, FigureUnit>>, id: string) => {
    const measured: Readonly<Record<string, number>> = newest.get(id)?.figures ?? {}
    for (const [figure, unit] of Object.entries(figures)) {
      const value = measured[figure]
      if (value === undefined) continue
      const [suffix, one] = UNITS[unit]
      const name = `${prefix}_${figure}${figure.endsWith(suffix) ? '' : suffix}`
      new Gauge({ name, help: `System monitor, ${whose}: ${figure}`, registers: [registry] }).set(value / one)
    }
  }
  tell('sallyport_node', 'this node', NODE_FIGURES, nodes.id)
  tell('sallyport_installation', 'all nodes together', SHARED_FIGURES, '')
  const lasting = new Gauge({
    name: 'sallyport_alarms',
    help: 'Alarms of the system monitor that last, by kind',
    labelNames: ['kind'],
    registers: [registry],
  })
  for (const { kind, count } of alarms) lasting.set({ kind }, count)
  return registry.metrics()
}
