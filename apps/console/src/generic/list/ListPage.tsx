import { ChevronLeftIcon, ChevronRightIcon } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import { hasListActions, ListActions } from './ListActions.tsx'
import { ResourceTable } from './ResourceTable.tsx'

const NARROW = '(max-width: 991.98px)'

/**
 * The list page of a resource; a tree at the left narrows the table where the view asks for one.
 */
export function ListPage({ pages, base, title }: { pages: ResourcePages; base: string; title: string }) {
  const [address, setAddress] = useSearchParams()
  const Tree = pages.list?.leftTree
  // Over the table there is no room for both, unless the tree says what the table is narrowed to.
  const [treeOpen, setTreeOpen] = useState(
    () => !matchMedia(NARROW).matches || pages.list?.treeKeys?.some((key) => address.get(key)) === true,
  )
  const refresh = () => forget(pages.definition.path)
  const table = <ResourceTable pages={pages} base={base} inAddress actionsInHead />
  const actions = hasListActions(pages, base) && <ListActions pages={pages} base={base} refresh={refresh} />
  if (!Tree)
    return (
      <PageFrame title={title} actions={actions}>
        {table}
      </PageFrame>
    )
  const treeKeys = pages.list?.treeKeys ?? []
  return (
    <PageFrame title={title} actions={actions}>
      <div className={treeOpen ? 'with-tree' : 'with-tree closed'}>
        {treeOpen && (
          <aside>
            <Tree
              query={Object.fromEntries(treeKeys.map((key) => [key, address.get(key) ?? '']))}
              setQuery={(change) =>
                setAddress((current) => {
                  const next = new URLSearchParams(current)
                  next.delete('page')
                  for (const [key, value] of Object.entries(change))
                    value === '' ? next.delete(key) : next.set(key, value)
                  return next
                })
              }
              refreshList={refresh}
            />
          </aside>
        )}
        <button
          type="button"
          className="tree-toggle"
          aria-expanded={treeOpen}
          aria-label={treeOpen ? t('Hide the tree') : t('Show the tree')}
          onClick={() => setTreeOpen(!treeOpen)}
        >
          {treeOpen ? <ChevronLeftIcon /> : <ChevronRightIcon />}
          <span className="tree-toggle-words">{treeOpen ? t('Hide the tree') : t('Show the tree')}</span>
        </button>
        <div className="beside-tree">{table}</div>
      </div>
    </PageFrame>
  )
}
