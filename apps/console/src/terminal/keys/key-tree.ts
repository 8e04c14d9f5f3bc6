/** Keys of Redis as a tree: what is before a colon is a folder, as people name them. */
import type { KeyName } from '@sallyport/contract/socket/keys.ts'
import { inNaturalOrder } from '../../lib/natural-order.ts'
import { type AssetTree, TOP, type TreeItem } from '../assets/asset-tree.ts'

export type { KeyName }

const SEPARATOR = ':'

/** As it is shown. */
export const shownKey = (key: KeyName): string => (typeof key === 'string' ? key : `0x${key[0]}`)

/** The same for the same key, and different from any folder. */
export const keyId = (key: KeyName): string => JSON.stringify(key)

const nameOf = ({ name }: TreeItem) => name

interface Folder {
  folders: Map<string, { title: string; count: number }>
  keys: TreeItem[]
}

/** The top, and what is in folders that are open. One look at each key: there may be a hundred thousand. */
export function keyTree(keys: Iterable<KeyName>, open: ReadonlySet<string>): AssetTree {
  const places = new Map<string, Folder>([[TOP, { folders: new Map(), keys: [] }]])
  for (const key of keys) addKey(places, key, open)
  const children = new Map<string, readonly TreeItem[]>()
  for (const [id, { folders, keys }] of places) {
    const shown = [...folders].map(([path, { title, count }]) => itemOf(path, `${title} (${count})`, id, 'folder'))
    children.set(id, [...inNaturalOrder(shown, nameOf), ...inNaturalOrder(keys, nameOf)])
  }
  return { children, open, loading: new Set() }
}

function addKey(places: Map<string, Folder>, key: KeyName, open: ReadonlySet<string>): void {
  const name = shownKey(key)
  let parent = TOP
  for (let from = 0; ; ) {
    const place: Folder = places.get(parent) ?? { folders: new Map(), keys: [] }
    places.set(parent, place)
    const end = typeof key === 'string' ? name.indexOf(SEPARATOR, from) : -1
    if (end < 0) {
      place.keys.push(itemOf(keyId(key), name.slice(from) || name, parent, 'key'))
      return
    }
    const path = name.slice(0, end + 1)
    const folder = place.folders.get(path) ?? { title: name.slice(from, end + 1), count: 0 }
    folder.count++
    place.folders.set(path, folder)
    if (!open.has(path)) return
    parent = path
    from = end + 1
  }
}

const itemOf = (id: string, name: string, pId: string, type: 'folder' | 'key'): TreeItem => ({
  ...{ id, name, pId, title: type === 'folder' ? id : shownKey(JSON.parse(id)) },
  isParent: type === 'folder',
  meta: { type, data: { id } },
})

/** The pattern for the server: without one of its own, keys that contain the text. */
export const patternOf = (text: string): string => (!text || /[*?[\\]/.test(text) ? text : `*${text}*`)
