import type { Kernel } from '../../kernel/kernel.ts'
import { keepMonitoring } from './minutes.ts'
import { registerMonitorRoutes } from './routes.ts'

export { registerDoctor } from './doctor/routes.ts'
export { type PastAlarm, type PastFigures, storePast } from './past.ts'
export { monitorMetrics } from './prometheus.ts'

/** How the installation is: figures over time, and alarms (docs/monitoring.md). */
export function registerMonitor(kernel: Kernel): void {
  registerMonitorRoutes(kernel)
  keepMonitoring(kernel)
}
