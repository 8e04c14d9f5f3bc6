import { RefreshCwIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { changeList } from '../rows/list-state.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { ColumnChooser } from './columns/ColumnChooser.tsx'
import { SearchBox } from './SearchBox.tsx'
import type { ListedRows } from './use-listed-rows.ts'
import type { TableColumns } from './use-table-columns.ts'
import { useViews } from './views/use-views.ts'
import { ViewsMenu } from './views/ViewsMenu.tsx'

interface ToolbarProps {
  pages: ResourcePages
  listed: ListedRows
  columns: TableColumns
  hasRowActions: boolean
  /** The list is a page of its own, of which people keep views. */
  hasViews: boolean
  /** Further filters, beside the search box. */
  filters?: ReactNode
  /** Import and export. */
  files?: ReactNode
  /** Actions on the list as a whole, where no page head has them; at the end. */
  actions?: ReactNode
}

/** Above a table: what narrows it, then quiet tools: views, columns, import, export, reading again. */
export function Toolbar({ pages, listed, columns, hasRowActions, hasViews, filters, files, actions }: ToolbarProps) {
  const { list, state, setState, offered } = listed
  const views = useViews(listed, columns, { has: hasViews, defaultOrder: pages.list?.defaultOrder ?? '' })
  const actionsColumn = hasRowActions ? [{ key: 'actions', title: t('Actions@@column') }] : []
  return (
    <div className="table-tools">
      <div className="left">
        {pages.list?.hasSearch !== false && (
          <SearchBox
            fields={offered}
            search={state.search}
            filters={state.filters}
            onChange={(change) => setState(changeList(state, change))}
          />
        )}
        {filters}
      </div>
      <div className="right">
        {hasViews && columns.all.length > 0 && <ViewsMenu of={views} />}
        {columns.all.length > 0 && (
          <ColumnChooser
            columns={[...columns.all, ...actionsColumn]}
            shown={columns.shown}
            fixed={[...columns.fixed, 'actions']}
            onChoose={columns.choose}
          />
        )}
        {files}
        <Button
          type="text"
          icon={<RefreshCwIcon className={list.isFetching && !list.isLoading ? 'turning' : ''} />}
          aria-label={t('Refresh')}
          title={t('Refresh')}
          onClick={() => void list.refetch()}
        />
        {actions}
      </div>
    </div>
  )
}
