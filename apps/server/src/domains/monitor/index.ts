import type { Kernel } from '../../kernel/kernel.ts'
import { keepMonitoring } from './minutes.ts'
import { registerMonitorRoutes } from './routes.ts'

export { askNode, cancelRun, MAX_ROUNDS } from './capacity/ask.ts'
export { GaveWay, type Measure, type MeasureOptions } from './capacity/measure.ts'
export { readReport } from './capacity/report.ts'
export { CAPACITY_RESOURCE, registerCapacity } from './capacity/routes.ts'
export { capacityWords } from './capacity/words.ts'
export { registerDoctor } from './doctor/routes.ts'
export { type PastAlarm, type PastFigures, storePast } from './past.ts'
export { monitorMetrics } from './prometheus.ts'

/** How the installation is: figures over time, and alarms (docs/monitoring.md). */
export function registerMonitor(kernel: Kernel): void {
  registerMonitorRoutes(kernel)
  keepMonitoring(kernel)
}
