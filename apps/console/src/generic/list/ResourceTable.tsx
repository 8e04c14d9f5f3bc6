import { LoadFailed } from '../../design/LoadFailed.tsx'
import type { Query } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import { PageRows } from '../cells/NamesCells.tsx'
import { changeList } from '../rows/list-state.ts'
import { Pager } from '../rows/Pager.tsx'
import { sizesOf } from '../rows/paging.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { ListView } from '../view/list-view.ts'
import { mayWrite } from '../view/write-rules.ts'
import { DataTable, type TableColumn } from './DataTable.tsx'
import { NoRows } from './NoRows.tsx'
import { RowActions } from './RowActions.tsx'
import { TableActions, TableControls } from './TableTools.tsx'
import { chooseSize } from './table-memory.ts'
import { type ListedRows, NO_ROWS, useListedRows } from './use-listed-rows.ts'
import { type OutsideSelection, type RowsWork, useRowsWork } from './use-rows-work.ts'
import { useTableColumns } from './use-table-columns.ts'

export interface ResourceTableProps {
  pages: ResourcePages
  /** `Label` of LabelList: where Create, Update, Clone and names lead. */
  base: string
  /** State in the address (a page's main list) or in memory (a list inside a page). */
  inAddress: boolean
  /** List address other than the definition's. */
  path?: string
  /** Sent with every list call, besides the view's own. */
  query?: Query
  /** Query given to the create page, besides the view's own. */
  createQuery?: Query
  /** Told after rows changed. */
  onChanged?: () => void
  /**
   * Ticks that somebody else keeps, over pages and searches: rows are chosen here, nothing is done
   * to them.
   */
  selection?: OutsideSelection
}

/**
 * The table of a resource with its tools: create, bulk actions, search, columns, paging (spec A2.77
 * to A2.84).
 */
export function ResourceTable(props: ResourceTableProps) {
  const { pages, base, inAddress, path = pages.definition.path, query, createQuery, onChanged, selection } = props
  const view: ListView = pages.list ?? { columns: [] }
  const listed = useListedRows({ view, path, inAddress, query })
  const { metadata, list, rows, state, setState } = listed
  const work = useRowsWork({ pages, base, path, selection, onChanged })
  const columns = useTableColumns(pages, base, listed)
  const visible = work.hasRowActions ? [...columns.visible, actionsColumn(work)] : columns.visible
  const createAddress = createAddressOf(pages, base)
  return (
    <section className="resource-table">
      <div className="table-tools">
        <TableActions view={view} listed={listed} work={work} createAddress={createAddress} createQuery={createQuery} />
        <TableControls
          pages={pages}
          listed={listed}
          work={work}
          columns={columns}
          isMain={inAddress}
          hasFiles={!selection}
        />
      </div>
      {list.isError || metadata.isError ? (
        <NotRead listed={listed} />
      ) : (
        <PageRows value={rows}>
          <DataTable
            label={metadata.data?.name ?? pages.definition.label}
            columns={metadata.data ? visible : []}
            rows={metadata.data && list.data ? rows : NO_ROWS}
            order={state.order}
            onOrder={(order) => setState(changeList(state, { order }))}
            filters={state.filters}
            onFilter={(name, value) => {
              const { [name]: _, ...others } = state.filters
              setState(changeList(state, { filters: value === undefined ? others : { ...others, [name]: value } }))
            }}
            {...(work.selectable
              ? { selected: work.selected, onSelect: work.setSelected, fixed: selection?.fixed }
              : {})}
            busy={list.isPlaceholderData}
            empty={
              <NoRows
                isPending={list.isPending || metadata.isPending}
                isNarrowed={state.search.length + Object.keys(state.filters).length > 0}
                onReset={() => setState(changeList(state, { search: [], filters: {} }))}
                canCreate={createAddress !== undefined && !work.frozen}
              />
            }
          />
        </PageRows>
      )}
      <TablePager view={view} listed={listed} />
    </section>
  )
}

const actionsColumn = ({ rowActions, context }: RowsWork): TableColumn => ({
  key: 'actions',
  title: t('Actions@@column'),
  width: 150,
  align: 'center',
  draw: (row) => <RowActions row={row} actions={rowActions} context={context} />,
})

/** The create page, where there is one and this person may create. */
function createAddressOf(pages: ResourcePages, base: string): string | undefined {
  const { createRoute = `${base}Create`, canCreate } = pages.list ?? {}
  const allowed = mayWrite(pages, 'create') && (typeof canCreate === 'function' ? canCreate() : canCreate !== false)
  return allowed ? addressOf(createRoute) : undefined
}

/** Instead of the table: why it could not be read. */
function NotRead({ listed: { list, metadata } }: { listed: ListedRows }) {
  return (
    <LoadFailed
      error={list.error ?? metadata.error}
      onRetry={() => {
        void list.refetch()
        if (metadata.isError) void metadata.refetch()
      }}
    />
  )
}

function TablePager({ view, listed: { count, state, setState } }: { view: ListView; listed: ListedRows }) {
  const paging = view.paging ?? 'offset'
  if (paging === 'none') return null
  return (
    <Pager
      count={count}
      page={state.page}
      size={state.size}
      sizes={sizesOf(paging)}
      jumper={paging === 'pages'}
      onPage={(page) => setState({ ...state, page })}
      onSize={(size) => {
        if (paging === 'offset') chooseSize(session().profile.username, size)
        setState(changeList(state, { size }))
      }}
    />
  )
}
