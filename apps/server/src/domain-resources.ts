import { globSync } from 'node:fs'
import type { Kernel } from './kernel/kernel.ts'
import { once } from './kernel/once.ts'

type Mount = (kernel: Kernel) => void

/**
 * Mounts the resource of each file of a domain that ends in `.resource.ts`, by its default export: a
 * resource needs no entry in any list. Called before the domains are registered, which find theirs
 * by `mountedResource`. Throws for a file without such an export.
 */
export async function mountDomainResources(kernel: Kernel): Promise<void> {
  for (const mount of await domainResources()) mount(kernel)
}

/** The files do not change while the process runs, in which tests open many servers. */
const domainResources = once(async () => {
  const paths = globSync('domains/**/*.resource.ts', { cwd: import.meta.dirname })
  const mounts: Mount[] = []
  for (const path of paths.sort()) {
    const { default: mount }: { default?: Mount } = await import(/* @vite-ignore */ `./${path}`)
    if (typeof mount !== 'function') throw new Error(`${path} exports no function by default that mounts a resource`)
    mounts.push(mount)
  }
  return mounts
})
