import { globSync } from 'node:fs'
import type { Kernel } from './kernel/kernel.ts'

/**
 * Mounts the resources in each domain's `resources/` folder, by the default export of each file: a
 * resource that nothing else refers to needs no entry in any list. Called when the domains are
 * registered. Throws for a file without such an export.
 */
export async function mountDomainResources(kernel: Kernel): Promise<void> {
  const paths = globSync('domains/*/resources/*.ts', { cwd: import.meta.dirname }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  for (const path of paths.sort()) {
    const { default: mount }: { default?: (kernel: Kernel) => void } = await import(/* @vite-ignore */ `./${path}`)
    if (typeof mount !== 'function') throw new Error(`${path} exports no function by default that mounts a resource`)
    mount(kernel)
  }
}
