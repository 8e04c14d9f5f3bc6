import { globSync } from 'node:fs'
import type { Kernel } from './kernel/kernel.ts'

/**
 * Mounts the resource of each file of a domain that ends in `.resource.ts`, by its default export: a
 * resource needs no entry in any list. Called before the domains are registered, which find theirs
 * by `mountedResource`. Throws for a file without such an export.
 */
export async function mountDomainResources(kernel: Kernel): Promise<void> {
  const paths = globSync('domains/**/*.resource.ts', { cwd: import.meta.dirname })
  for (const path of paths.sort()) {
    const { default: mount }: { default?: (kernel: Kernel) => void } = await import(/* @vite-ignore */ `./${path}`)
    if (typeof mount !== 'function') throw new Error(`${path} exports no function by default that mounts a resource`)
    mount(kernel)
  }
}
