import type { AccessPath } from '@sallyport/contract/resources/perms/access-person.ts'

/** The kinds of names on a path, in this order. */
export const STOPS = ['user', 'user_group', 'permission', 'node', 'target', 'system_user'] as const
export type Stop = (typeof STOPS)[number]

/** One name of the picture. */
export interface PictureNode {
  key: string
  stop: Stop
  id: string
  name: string
  /** From the left, of the columns that are there. */
  column: number
  /** From the top. */
  row: number
  /** No name: a line passes here over a column that its paths leave out. */
  isPassed?: boolean
  /** Numbers of the paths that lead over it. */
  paths: ReadonlySet<number>
}

export interface PictureEdge {
  key: string
  from: PictureNode
  to: PictureNode
  paths: ReadonlySet<number>
}

export interface Picture {
  /** The columns that have names, from the left. */
  columns: Stop[]
  nodes: PictureNode[]
  edges: PictureEdge[]
  /** Names in the longest column. */
  rows: number
}

interface Named {
  id: string
  name: string
}

/** The names that a path leads over; of several accounts, a way each. */
function waysOf(path: AccessPath): [Stop, Named][][] {
  const { user, user_group, permission, node, target, system_users } = path
  const before = (
    [
      ['user', user],
      ['user_group', user_group],
      ['permission', permission],
      ['node', node],
      ['target', target],
    ] as const
  ).flatMap(([stop, one]): [Stop, Named][] => (one ? [[stop, one]] : []))
  // Without a target nothing says which of them fit.
  if (!target || system_users.length === 0) return [before]
  return system_users.map((account) => [...before, ['system_user', account]])
}

/** A way with a place of its own in each column that it leaves out, so that its line crosses no name there. */
function withPasses(way: readonly [Stop, Named][], columns: readonly Stop[]): [Stop, Named, boolean][] {
  return way.flatMap(([stop, one], at): [Stop, Named, boolean][] => {
    const [next, after] = way[at + 1] ?? []
    const passed = next ? columns.slice(columns.indexOf(stop) + 1, columns.indexOf(next)) : []
    return [
      [stop, one, false],
      ...passed.map((over): [Stop, Named, boolean] => [over, { id: `${one.id} ${after?.id}`, name: '' }, true]),
    ]
  })
}

/**
 * Places the names of paths in columns from the person to the account, each beside those that lead to
 * it, so that few lines cross. Every name is there once.
 */
export function layOut(paths: readonly AccessPath[]): Picture {
  const nodes = new Map<string, PictureNode & { paths: Set<number> }>()
  const edges = new Map<string, PictureEdge & { paths: Set<number> }>()
  const ways = paths.flatMap(waysOf)
  const there = STOPS.filter((stop) => ways.some((way) => way.some(([one]) => one === stop)))
  for (const [number, way] of ways.entries()) {
    let last: (PictureNode & { paths: Set<number> }) | undefined
    for (const [stop, { id, name }, isPassed] of withPasses(way, there)) {
      const key = `${stop} ${id}`
      const node = nodes.get(key) ?? {
        ...{ key, stop, id, name, column: 0, row: 0, paths: new Set<number>() },
        ...(isPassed ? { isPassed } : {}),
      }
      nodes.set(key, node)
      node.paths.add(number)
      if (last) {
        const between = `${last.key} ${key}`
        const edge = edges.get(between) ?? { key: between, from: last, to: node, paths: new Set<number>() }
        edges.set(between, edge)
        edge.paths.add(number)
      }
      last = node
    }
  }
  const all = [...nodes.values()]
  const columns = STOPS.filter((stop) => all.some((node) => node.stop === stop))
  let rows = 0
  for (const [column, stop] of columns.entries()) {
    const here = all.filter((node) => node.stop === stop)
    const height = new Map(here.map((node) => [node, meanRow(node, edges.values())]))
    here.sort((a, b) => (height.get(a) ?? 0) - (height.get(b) ?? 0))
    for (const [row, node] of here.entries()) Object.assign(node, { column, row })
    rows = Math.max(rows, here.length)
  }
  return { columns, nodes: all, edges: [...edges.values()], rows }
}

/** The mean row of the names that lead to this one; those of the first column stay in their order. */
function meanRow(node: PictureNode, edges: Iterable<PictureEdge>): number {
  const before = [...edges].filter(({ to }) => to === node).map(({ from }) => from.row)
  return before.length ? before.reduce((sum, row) => sum + row, 0) / before.length : 0
}
