import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Kernel } from '../kernel.ts'
import type { ManyToMany, Mount } from './mount.ts'

/**
 * A definition with its table. Where the table's type is known it is kept; everything else goes by
 * name.
 */
export interface MountedResource<T extends PgTable = PgTable> {
  definition: ResourceDefinition
  mount: Mount & { table: T; relations?: Readonly<Record<string, ManyToMany>> }
}

const registries = new WeakMap<Kernel, ResourceRegistry>()

/** The resources of this server by name: references between resources are looked up here. */
export function resourcesOf(kernel: Kernel): ResourceRegistry {
  let registry = registries.get(kernel)
  if (!registry) registries.set(kernel, (registry = new ResourceRegistry()))
  return registry
}

/** A resource that was mounted from its file. Throws where it was not, or on another table. */
export function mountedResource<T extends PgTable>(
  kernel: Kernel,
  { name }: ResourceDefinition,
  table: T,
): MountedResource<T> {
  const resource = resourcesOf(kernel).find(name)
  if (resource?.mount.table !== table) throw new Error(`resource ${name} is not mounted on this table`)
  return resource as MountedResource<T>
}

class ResourceRegistry {
  readonly #byName = new Map<string, MountedResource>()

  add(resource: MountedResource): void {
    if (this.#byName.has(resource.definition.name))
      throw new Error(`resource ${resource.definition.name} is mounted twice`)
    this.#byName.set(resource.definition.name, resource)
  }

  /** The resource of that name; undefined when it is not part of this build. */
  find(name: string): MountedResource | undefined {
    return this.#byName.get(name)
  }

  /** The resource of that name. Throws where it is not part of this build. */
  get(name: string): MountedResource {
    const resource = this.find(name)
    if (!resource) throw new Error(`there is no resource ${name}`)
    return resource
  }

  all(): MountedResource[] {
    return [...this.#byName.values()]
  }
}
