import { RefreshCwIcon } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import type { Query } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { changeList } from '../rows/list-state.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { ListView } from '../view/list-view.ts'
import { BulkMenu } from './BulkMenu.tsx'
import { ColumnChooser } from './ColumnChooser.tsx'
import { CreateButton } from './CreateButton.tsx'
import { FileButtons } from './FileButtons.tsx'
import { HeaderButton } from './HeaderButton.tsx'
import { SearchBox } from './SearchBox.tsx'
import type { ListedRows } from './use-listed-rows.ts'
import type { RowsWork } from './use-rows-work.ts'
import type { TableColumns } from './use-table-columns.ts'

interface TableActionsProps {
  view: ListView
  listed: ListedRows
  work: RowsWork
  /** The create page, where this person may create. */
  createAddress: string | undefined
  createQuery: Query | undefined
}

/** At the left of a table: create, further actions, and what can be done to the selected rows. */
export function TableActions({ view, listed, work, createAddress, createQuery }: TableActionsProps) {
  const [address] = useSearchParams()
  const { selected, setSelected, context, frozen, bulkActions } = work
  return (
    <div className="left">
      {createAddress !== undefined && (
        <CreateButton
          address={createAddress}
          query={{ ...view.createQuery?.(address), ...createQuery }}
          kinds={view.createKinds}
          frozen={frozen}
        />
      )}
      {view.headerActions
        ?.filter(({ has }) => has?.() !== false)
        .map((action) => (
          <HeaderButton key={action.name} action={action} context={context} />
        ))}
      {bulkActions.length > 0 && (
        <BulkMenu
          actions={bulkActions}
          selected={selected}
          seen={listed.seen}
          context={context}
          onTakenAway={() => setSelected(new Set())}
        />
      )}
      {selected.size > 0 && (
        <span className="selected-count">
          {t('{{count}} selected', { count: selected.size })}{' '}
          <button type="button" className="link" onClick={() => setSelected(new Set())}>
            {t('Clear')}
          </button>
        </span>
      )}
    </div>
  )
}

interface TableControlsProps {
  pages: ResourcePages
  listed: ListedRows
  work: RowsWork
  columns: TableColumns
  /** The page's main list. */
  isMain: boolean
  /** Files of the rows are not offered where rows are only chosen. */
  hasFiles: boolean
}

/** At the right of a table: search, columns, import and export, reading again. */
export function TableControls({ pages, listed, work, columns, isMain, hasFiles }: TableControlsProps) {
  const { path, list, state, setState, offered, queries } = listed
  const actionsColumn = work.hasRowActions ? [{ key: 'actions', title: t('Actions@@column') }] : []
  return (
    <div className="right">
      {pages.list?.hasSearch !== false && (
        <SearchBox
          fields={offered}
          search={state.search}
          filters={state.filters}
          onChange={(change) => setState(changeList(state, change))}
        />
      )}
      {columns.all.length > 0 && (
        <ColumnChooser
          columns={[...columns.all, ...actionsColumn]}
          shown={columns.shown}
          fixed={[...columns.fixed, 'actions']}
          onChoose={columns.choose}
        />
      )}
      {hasFiles && (
        <FileButtons
          pages={pages}
          listed={{ path, ...queries, selected: [...work.selected] }}
          own={isMain}
          frozen={work.frozen}
          onImported={() => void work.context.refresh()}
        />
      )}
      <Button
        icon={<RefreshCwIcon className={list.isFetching && !list.isLoading ? 'turning' : ''} />}
        aria-label={t('Refresh')}
        title={t('Refresh')}
        onClick={() => void list.refetch()}
      />
    </div>
  )
}
