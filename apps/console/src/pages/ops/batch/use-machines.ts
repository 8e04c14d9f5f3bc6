import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type TreeItem, treeRows } from '../../../generic/tree/node-items.ts'
import type { Ticked } from '../../../generic/tree/Tree.tsx'
import { api } from '../../../lib/api.ts'
import { keys } from '../../../lib/query.ts'

const TREE = '/api/v1/perms/users/nodes-with-assets/tree/'
const EVERYTHING: ReadonlySet<string> = new Set()

/** A machine that commands can be run on. */
export interface Machine {
  id: string
  name: string
  address: string
}

/**
 * The machines that were granted with a system user, as a tree in which some are ticked. Only those
 * with SSH are there; a machine that lies in several nodes is ticked in all of them.
 * Nothing is asked for while the system user is `undefined`: not known yet.
 */
export function useMachines(systemUser: string | undefined, words: string, tickedFirst: readonly string[] = []) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set(tickedFirst))
  const [folded, setFolded] = useState<ReadonlySet<string>>(EVERYTHING)
  const tree = useQuery({
    queryKey: keys.list(TREE, { systemUser: systemUser ?? '' }),
    enabled: systemUser !== undefined,
    queryFn: ({ signal }) =>
      api.get<TreeItem[]>(TREE, { query: { cache_policy: 1, system_user: systemUser }, signal, quiet: true }),
  })
  const items = useMemo(() => shown(tree.data ?? [], words.trim().toLowerCase()), [tree.data, words])
  const below = useMemo(() => machinesBelow(items), [items])
  const rows = useMemo(() => {
    const open = items.map(({ id }) => id).filter((id) => !folded.has(id))
    return treeRows({ top: items, items, open, loaded: new Set(items.map(({ id }) => id)) })
  }, [items, folded])
  const all = useMemo(() => new Map(tree.data?.filter(isMachine).map((item) => [idOf(item), item]) ?? []), [tree.data])
  const machines = [...ticked].flatMap((id): Machine[] => {
    const item = all.get(id)
    return item ? [{ id, name: item.name, address: item.title }] : []
  })
  const tickOf = (item: TreeItem): Ticked => {
    const ids = below.get(item.id) ?? []
    const count = ids.filter((id) => ticked.has(id)).length
    return count > 0 && (count === ids.length || 'partly')
  }
  return {
    tree,
    rows,
    tickOf,
    /** Those that are ticked, whether or not the words leave them in sight. */
    machines,
    /** Ids of all that are ticked, also while it is not known what is granted. */
    ticked: [...ticked],
    tick(item: TreeItem) {
      const ids = below.get(item.id) ?? []
      const rest = [...ticked].filter((id) => !ids.includes(id))
      setTicked(new Set(tickOf(item) === true ? rest : [...rest, ...ids]))
    },
    choose: (ids: readonly string[]) => setTicked(new Set(ids)),
    leaveOut: (id: string) => setTicked((now) => new Set([...now].filter((one) => one !== id))),
    toggle: ({ id }: TreeItem) =>
      setFolded((now) => (now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id]))),
  }
}

export const isMachine = ({ meta }: TreeItem) => meta.type === 'asset'
const idOf = ({ meta }: TreeItem) => meta.data.id

function hasSsh({ meta }: TreeItem): boolean {
  const { protocols } = meta.data
  return Array.isArray(protocols) && protocols.some((one) => String(one).startsWith('ssh'))
}

/** Machines with SSH that have the words in their name or address, and the nodes that they lie in. */
function shown(all: readonly TreeItem[], words: string): TreeItem[] {
  const machines = all.filter(
    (item) => isMachine(item) && hasSsh(item) && `${item.name} ${item.title}`.toLowerCase().includes(words),
  )
  const nodes = new Map(all.filter((item) => !isMachine(item)).map((item) => [item.id, item]))
  const kept = new Set<string>()
  for (const { pId } of machines)
    for (let node = nodes.get(pId); node && !kept.has(node.id); node = nodes.get(node.pId)) kept.add(node.id)
  return [
    ...[...nodes.values()].filter(({ id }) => kept.has(id)),
    // A machine may lie in several nodes: each of its lines has an id of its own.
    ...machines.map((item) => ({ ...item, id: `${item.pId} ${item.id}`, isParent: false })),
  ]
}

/** Ids of the machines below each line, its own where it is one. */
function machinesBelow(items: readonly TreeItem[]): Map<string, string[]> {
  const parents = new Map(items.map(({ id, pId }) => [id, pId]))
  const below = new Map<string, Set<string>>()
  const add = (line: string, machine: string) => below.set(line, (below.get(line) ?? new Set()).add(machine))
  for (const item of items.filter(isMachine)) {
    add(item.id, idOf(item))
    for (let line = item.pId; parents.has(line); line = parents.get(line) ?? '') add(line, idOf(item))
  }
  return new Map([...below].map(([line, machines]) => [line, [...machines]]))
}
