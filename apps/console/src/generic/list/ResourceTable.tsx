import { type ReactNode, useRef } from 'react'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import type { Query } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import { PageRows } from '../cells/NamesCells.tsx'
import { hasDateRange } from '../export/export-range.ts'
import { AsOf } from '../rows/AsOf.tsx'
import { changeList, type ListState, lastPage } from '../rows/list-state.ts'
import { Pager } from '../rows/Pager.tsx'
import { sizesOf } from '../rows/paging.ts'
import { inOrder } from '../view/actions.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { ListView } from '../view/list-view.ts'
import { actionsWidth } from './columns/actions-width.ts'
import { leastWidth } from './columns/fit-columns.ts'
import { useWidth } from './columns/use-width.ts'
import { FileButtons } from './FileButtons.tsx'
import { CreateAction, hasListActions, ListActions } from './ListActions.tsx'
import { NoRows } from './NoRows.tsx'
import { RowActions } from './RowActions.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { Toolbar } from './Toolbar.tsx'
import { DataTable } from './table/DataTable.tsx'
import type { TableColumn } from './table/table-column.ts'
import { chooseSize } from './table-memory.ts'
import { type ListedRows, NO_ROWS, useListedRows } from './use-listed-rows.ts'
import { type OutsideSelection, type RowsWork, useRowsWork } from './use-rows-work.ts'
import { useTableColumns } from './use-table-columns.ts'
import { useFirstView } from './views/use-views.ts'

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
  /** Filters of the page, beside the search box. */
  filters?: ReactNode
  /** Create and the like are in the head of the page. */
  actionsInHead?: boolean
  isBesideTree?: boolean
}

/**
 * The table of a resource with its tools: search, columns, what can be done to ticked rows, paging
 * (A2.77 to A2.84).
 */
export function ResourceTable(props: ResourceTableProps) {
  const { pages, base, inAddress, path = pages.definition.path, query, createQuery, onChanged, selection } = props
  const { filters, actionsInHead = false, isBesideTree = false } = props
  const view: ListView = pages.list ?? { columns: [] }
  const listed = useListedRows({ view, path, inAddress, query })
  const { metadata, list, rows, state, setState } = listed
  const work = useRowsWork({ pages, base, path, selection, onChanged })
  const isWaiting = list.isPending || metadata.isPending
  const section = useRef<HTMLElement>(null)
  const room = useWidth(section, isBesideTree) - BORDERS
  const actions = work.hasRowActions ? [actionsColumn(work)] : []
  const columns = useTableColumns(pages, base, listed, {
    room: room - leastWidth(actions, false),
    hasTicks: work.selectable,
  })
  const hasViews = inAddress && !selection
  useFirstView(listed, columns, { has: hasViews, defaultOrder: view.defaultOrder })
  return (
    <section className="resource-table" ref={section}>
      <Toolbar
        pages={pages}
        listed={listed}
        columns={columns}
        hasRowActions={work.hasRowActions}
        hasViews={hasViews}
        filters={filters}
        files={
          !selection && (
            <FileButtons
              pages={pages}
              listed={{ path, ...listed.queries, selected: [...work.selected] }}
              own={inAddress}
              frozen={work.frozen}
              onImported={() => void work.context.refresh()}
            />
          )
        }
        actions={
          !selection && !actionsInHead && hasListActions(pages, base) ? (
            <ListActions pages={pages} base={base} refresh={work.context.refresh} createQuery={createQuery} />
          ) : null
        }
      />
      {!selection && work.selected.size > 0 && (
        <SelectionBar
          listed={listed}
          work={work}
          onCleared={() => section.current?.querySelector<HTMLElement>('.table input')?.focus()}
        />
      )}
      {!list.isError && <AsOf read={list} />}
      {list.isError || metadata.isError ? (
        <NotRead listed={listed} />
      ) : (
        <PageRows value={rows}>
          <DataTable
            label={metadata.data?.name ?? pages.definition.label}
            columns={[...columns.visible, ...actions]}
            room={room}
            waiting={isWaiting}
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
            {...pageTurning(listed)}
            empty={
              <NoRows
                isNarrowed={narrowing(state, view.initialFilters)}
                isDated={hasDateRange(listed.queries)}
                onReset={() => setState(changeList(state, { search: [], filters: {} }))}
                none={view.none && t(view.none)}
                whatNext={view.whatNext && t(view.whatNext)}
                request={view.request}
                create={
                  !selection && <CreateAction pages={pages} base={base} createQuery={createQuery} isPrimary={false} />
                }
              />
            }
          />
        </PageRows>
      )}
      {!list.isError && !metadata.isError && <TablePager view={view} listed={listed} isWaiting={isWaiting} />}
    </section>
  )
}

/** How keys turn the page, where there are several. Whether they did is the answer. */
function pageTurning({ count, state, setState }: ListedRows): { onPage?: (step: number) => boolean } {
  const last = lastPage(count ?? 0, state.size)
  if (last <= 1) return {}
  return {
    onPage: (step) => {
      const page = state.page + step
      if (page < 1 || page > last) return false
      setState({ ...state, page })
      return true
    },
  }
}

/** At both sides of the table. */
const BORDERS = 2

const actionsColumn = ({ rowActions, context }: RowsWork): TableColumn => ({
  key: 'actions',
  title: t('Actions@@column'),
  width: actionsWidth(inOrder(rowActions)),
  align: 'right',
  draw: (row) => <RowActions row={row} actions={rowActions} context={context} />,
})

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

interface TablePagerProps {
  view: ListView
  listed: ListedRows
  /** No row is drawn yet: pages come with them, or they would move away when the rows do. */
  isWaiting: boolean
}

function TablePager({ view, listed: { count, state, setState }, isWaiting }: TablePagerProps) {
  const paging = view.paging ?? 'offset'
  if (paging === 'none') return null
  return (
    <Pager
      count={isWaiting ? undefined : count}
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

/** Whether a search or a filter leaves rows out, beyond those that the list begins with. */
function narrowing({ search, filters }: ListState, initial: ListView['initialFilters'] = {}): boolean | 'at first' {
  const named = Object.entries(filters)
  if (search.length + named.length === 0) return false
  const isFirst = search.length === 0 && named.every(([name, value]) => initial[name] === value)
  return isFirst ? 'at first' : true
}
