import { confirmDanger } from '../../design/dialogs/feedback.tsx'
import type { MenuItem } from '../../design/popups/menu.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { deletionContent } from '../rows/DeletionEnds.tsx'
import type { LeftTreeProps } from '../view/list-view.ts'
import { bareName, type TreeItem } from './node-items.ts'
import type { NodeChanges } from './use-node-changes.ts'

/** The abilities of a menu entry. */
export interface NodeMenuContext {
  /** Reads tree and list again. */
  refresh: () => Promise<void>
  query: LeftTreeProps['query']
  setQuery: LeftTreeProps['setQuery']
}

export interface NodeMenuEntry {
  name: string
  /** Marked with `msg`. */
  title: string
  danger?: boolean
  has?: (item: TreeItem, query: LeftTreeProps['query']) => boolean
  run: (item: TreeItem, context: NodeMenuContext) => unknown
}

const NODES = '/api/v1/assets/nodes/'
const isBelowTop = ({ pId }: TreeItem) => pId !== ''

/** The entries that every node has, by what they change. */
export function baseEntries(changes: NodeChanges): NodeMenuEntry[] {
  return [
    { name: 'create', title: msg('Create node'), run: (item) => changes.create(item) },
    {
      name: 'rename',
      title: msg('Rename node'),
      has: isBelowTop,
      run: (item) => changes.askName(item.meta.data.id),
    },
    {
      name: 'delete',
      title: msg('Delete node'),
      danger: true,
      has: isBelowTop,
      run: (item) =>
        confirmDanger({
          title: t('Delete node "{{name}}"?', { name: bareName(item.name) }),
          content: deletionContent({ resource: 'node', ids: [item.meta.data.id], rights: NODES }),
          okText: t('Delete'),
          onOk: () => changes.remove(item),
        }),
    },
  ]
}

/** The menu of a node, for `useMenu`; empty for none. */
export function nodeMenu(item: TreeItem | undefined, all: readonly NodeMenuEntry[], context: NodeMenuContext) {
  const entries = item ? all.filter(({ has }) => has?.(item, context.query) !== false) : []
  return {
    items: entries.map(({ name, title, danger = false }): MenuItem => ({ key: name, label: t(title), danger })),
    onChoose: (key: string) => {
      // A failed call has told the person itself.
      if (item) void Promise.resolve(entries.find(({ name }) => name === key)?.run(item, context)).catch(() => {})
    },
  }
}
