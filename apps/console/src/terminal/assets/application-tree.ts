import { api } from '../../lib/api.ts'
import { REMOTE_APP_TYPES, TEXT_PROTOCOLS } from '../text-protocols.ts'
import { type AssetTree, EMPTY_TREE, TOP, type TreeItem, wholeTree, withOpen } from './asset-tree.ts'
import { inCluster } from './cluster-tree.ts'

const PATH = '/api/v1/perms/users/applications/tree/'
/** Types that this page can open. */
const OPENABLE: ReadonlySet<string> = new Set([...TEXT_PROTOCOLS, ...REMOTE_APP_TYPES])
/** The server's root, whose name is above the tree. */
const ROOT = 'applications'

/**
 * Granted applications that this page can open, under organizations, categories and types. The names
 * of these say how many of them there are.
 */
export async function readApplications(open: ReadonlySet<string>): Promise<AssetTree> {
  const items = await api.get<TreeItem[]>(PATH, { quiet: true })
  const places = new Map(items.filter((item) => !isNamed(item)).map((item) => [item.id, item]))
  const openable = items.filter((item) => isNamed(item) && OPENABLE.has(item.meta.data.type ?? ''))
  const amounts = new Map<string, number>()
  for (const { pId } of openable)
    for (let id = pId; places.has(id); id = places.get(id)?.pId ?? '') amounts.set(id, (amounts.get(id) ?? 0) + 1)
  const used = items.filter(({ id }) => id !== ROOT && amounts.has(id))
  const named = used.map((item) => ({ ...item, name: item.name.replace(/ ?\(\d+\)$/, ` (${amounts.get(item.id)})`) }))
  const tree = wholeTree([...named, ...openable], open)
  // The objects of a cluster are asked for when it is opened.
  return openable.filter(inCluster).reduce((now, { id }) => unread(now, id), tree)
}

function unread(tree: AssetTree, id: string): AssetTree {
  const children = new Map(tree.children)
  children.delete(id)
  return withOpen({ ...tree, children }, id, false)
}

/** Applications, and what is in clusters; the folders around them are not searched. */
const isNamed = ({ meta }: TreeItem) => meta.type === 'application'

/** One granted application, or undefined when it is not granted or gone. */
export async function findApplication(id: string): Promise<TreeItem | undefined> {
  return (await api.get<TreeItem[]>(PATH, { query: { id }, quiet: true })).find((item) => item.id === id)
}

/** Those whose name holds the text, with everything that they are in, all open; of clusters what has been read. */
export function searchedApplications(tree: AssetTree, text: string): AssetTree {
  const wanted = text.trim().toLowerCase()
  const children = new Map<string, TreeItem[]>()
  const open = new Set<string>()
  const below = (key: string, isWithin: boolean): boolean => {
    const kept = (tree.children.get(key) ?? []).filter((item) => {
      const isFound = isWithin || (isNamed(item) && item.name.toLowerCase().includes(wanted))
      return (item.isParent && below(item.id, isFound)) || isFound
    })
    if (tree.children.has(key)) children.set(key, kept)
    if (isWithin ? tree.open.has(key) : kept.length > 0 || tree.open.has(key)) open.add(key)
    return kept.length > 0
  }
  below(TOP, false)
  return { ...EMPTY_TREE, children, open, loading: tree.loading }
}
