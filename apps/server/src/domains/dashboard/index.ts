import type { Kernel } from '../../kernel/kernel.ts'
import { registerOverview } from './overview.ts'

/** The figures of the start page. */
export function registerDashboard(kernel: Kernel): void {
  registerOverview(kernel)
}
