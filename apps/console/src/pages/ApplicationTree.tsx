import { application } from '@sallyport/contract/resources/applications/application.ts'
import { CloudIcon, DatabaseIcon, MonitorIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { FindBox } from '../generic/find/FindBox.tsx'
import type { TreeItem } from '../generic/tree/node-items.ts'
import { Tree } from '../generic/tree/Tree.tsx'
import { TreeFrame } from '../generic/tree/TreeFrame.tsx'
import { useTreeItems } from '../generic/tree/use-tree-items.ts'
import type { LeftTreeProps } from '../generic/view/list-view.ts'
import { t } from '../lib/i18n.ts'

const TREE = `${application.path}tree/`
const MAX_FOUND = 20

/** Address keys of the tree, for `treeKeys`. */
export const APPLICATION_TREE_KEYS = ['category', 'type', 'app'] as const

const ICONS: Readonly<Record<string, ReactNode>> = {
  database: <DatabaseIcon />,
  chrome: <MonitorIcon />,
  cloud: <CloudIcon />,
}

/** The filter of a line; none for the root. */
function queryOf({ id, meta }: TreeItem): Record<string, string> {
  if (meta.type === 'category') return { category: String(meta.data.value), type: '', app: '' }
  if (meta.type === 'type') return { category: '', type: String(meta.data.value), app: '' }
  return { category: '', type: '', app: meta.type === 'application' ? id : '' }
}

/**
 * The organization's applications by category and type, beside a list of what is about them: a chosen
 * line narrows the list (docs/rules/perms.md#application_permission,
 * docs/rules/accounts.md#account_tree).
 */
export function ApplicationTree({ query, setQuery, onHide }: LeftTreeProps) {
  const tree = useTreeItems(TREE)
  const chosen = tree.items.find((item) => {
    const wanted = Object.entries(queryOf(item)).filter(([, value]) => value !== '')
    return wanted.length > 0 && wanted.every(([key, value]) => query[key] === value)
  })
  const find = async (words: string) => {
    const matching = tree.items.filter(
      ({ name, meta }) => meta.type === 'application' && name.toLowerCase().includes(words.toLowerCase()),
    )
    const found = matching.slice(0, MAX_FOUND).map(({ id, name, pId, iconSkin = '' }) => ({
      id,
      icon: ICONS[iconSkin],
      name,
      place: tree.items.find((item) => item.id === pId)?.name ?? '',
    }))
    return { found, more: matching.length - found.length }
  }
  return (
    <TreeFrame
      label={t('Applications')}
      all={t('All applications')}
      top={tree.top}
      chosen={chosen}
      onRefresh={tree.refresh}
      onHide={onHide}
      search={
        <FindBox
          label={t('Find in the tree')}
          name={TREE}
          find={find}
          onChoose={({ id }) => setQuery({ category: '', type: '', app: id })}
        />
      }
    >
      <Tree
        label={t('Applications')}
        rows={tree.rows}
        reading={tree.reading}
        chosen={chosen}
        // Choosing what is chosen shows everything again.
        onChoose={(item) => setQuery(item === chosen ? { category: '', type: '', app: '' } : queryOf(item))}
        onToggle={(item) => void tree.toggle(item)}
      />
    </TreeFrame>
  )
}
