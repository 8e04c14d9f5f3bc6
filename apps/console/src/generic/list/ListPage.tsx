import { PanelLeftOpenIcon } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { useNarrow } from '../../navigation/use-narrow.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { hasListActions, ListActions } from './ListActions.tsx'
import { ResourceTable } from './ResourceTable.tsx'

/**
 * The list page of a resource; a tree at the left narrows the table where the view asks for one.
 */
export function ListPage({ pages, base, title }: { pages: ResourcePages; base: string; title: string }) {
  const [address, setAddress] = useSearchParams()
  const Tree = pages.list?.leftTree
  const [treeOpen, setTreeOpen] = useState(true)
  const narrow = useNarrow()
  const refresh = () => forget(pages.definition.path)
  const isBesideTree = Tree !== undefined && treeOpen && !narrow
  const table = <ResourceTable {...{ pages, base, isBesideTree }} inAddress actionsInHead />
  const actions = hasListActions(pages, base) && <ListActions pages={pages} base={base} refresh={refresh} />
  const lead = pages.list?.lead && t(pages.list.lead)
  if (!Tree)
    return (
      <PageFrame title={title} actions={actions} lead={lead}>
        {table}
      </PageFrame>
    )
  const treeKeys = pages.list?.treeKeys ?? []
  return (
    <PageFrame title={title} actions={actions} lead={lead}>
      <div className="with-tree">
        {treeOpen || narrow ? (
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
              onHide={() => setTreeOpen(false)}
            />
          </aside>
        ) : (
          <Button
            type="text"
            className="tree-show"
            icon={<PanelLeftOpenIcon />}
            aria-label={t('Show the tree')}
            title={t('Show the tree')}
            onClick={() => setTreeOpen(true)}
          />
        )}
        <div className="beside-tree">{table}</div>
      </div>
    </PageFrame>
  )
}
