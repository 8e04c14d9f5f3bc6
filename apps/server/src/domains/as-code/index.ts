import type { Kernel } from '../../kernel/kernel.ts'
import { registerRoutes } from './routes.ts'

/** An organization as files: export, plan and apply (docs/everything-as-code.md). */
export function registerAsCode(kernel: Kernel): void {
  registerRoutes(kernel)
}
