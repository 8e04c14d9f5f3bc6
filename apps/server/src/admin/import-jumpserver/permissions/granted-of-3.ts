import { assetsListedNode } from '../../../domains/assets/index.ts'
import type { ImportContext } from '../context.ts'

/** What permissions of version 3 and 4 can name, by ids here. */
export interface Granted {
  /** Machines and applications below a node, those in nodes below it too. */
  below(node: string): string[]
  isApplication(target: string): boolean
}

/** Databases and clusters lie in nodes there, and in none here: where they were is read from there. */
export async function readGranted({ source, ids, run }: ImportContext): Promise<Granted> {
  const own = new Map<string, string[]>()
  const applications = new Set<string>()
  for await (const batch of source.read({ table: 'assets.asset_nodes', columns: ['asset_id', 'node_id'] }))
    for (const row of batch) {
      const application = ids.get('application', row.asset_id)
      const target = ids.get('asset', row.asset_id) ?? application
      const node = ids.get('node', row.node_id)
      if (!target || !node) continue
      if (application) applications.add(application)
      const all = own.get(node)
      if (all) all.push(target)
      else own.set(node, [target])
    }
  const keys = new Map<string, string>()
  const { id, key } = assetsListedNode
  for (const row of await run.db.select({ id, key }).from(assetsListedNode)) keys.set(row.id, row.key)
  const known = new Map<string, string[]>()
  return {
    isApplication: (target) => applications.has(target),
    below(node) {
      const found = known.get(node)
      if (found) return found
      const top = keys.get(node) ?? ''
      const all = [...own].flatMap(([place, targets]) => {
        const placeKey = keys.get(place) ?? ''
        return placeKey === top || placeKey.startsWith(`${top}:`) ? targets : []
      })
      const distinct = [...new Set(all)]
      known.set(node, distinct)
      return distinct
    },
  }
}
