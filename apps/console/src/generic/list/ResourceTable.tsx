import { ReloadOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { api, errorText, type Query, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import { PageRows } from '../cells/NamesCells.tsx'
import { changeList, lastPage, listQuery } from '../rows/list-state.ts'
import { Pager } from '../rows/Pager.tsx'
import { asListPage, pagedQuery, sizesOf } from '../rows/paging.ts'
import type { ActionContext, ListView, ResourcePages } from '../view/define-pages.ts'
import { type RemoteField, useMetadata } from '../view/metadata.ts'
import { frozenByRootOrg, mayWrite } from '../view/write-rules.ts'
import { BulkMenu } from './BulkMenu.tsx'
import { ColumnChooser } from './ColumnChooser.tsx'
import { CreateButton } from './CreateButton.tsx'
import { DataTable, type TableColumn } from './DataTable.tsx'
import { FileButtons } from './FileButtons.tsx'
import { HeaderButton } from './HeaderButton.tsx'
import { RowActions } from './RowActions.tsx'
import { SearchBox, searchFields } from './SearchBox.tsx'
import { bulkActionsOf, rowActionsOf } from './table-actions.ts'
import { tableColumns } from './table-columns.tsx'
import { chooseColumns, chooseSize, chosenColumns } from './table-memory.ts'
import { useListState } from './use-list-state.ts'

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
  selection?: { ids: ReadonlySet<string>; onChange: (ids: ReadonlySet<string>) => void; fixed?: ReadonlySet<string> }
}

const NO_FIELDS: Readonly<Record<string, RemoteField>> = {}
const NO_ROWS: readonly Row[] = []

/**
 * The table of a resource with its tools: create, bulk actions, search, columns, paging (spec A2.77
 * to A2.84).
 */
export function ResourceTable({
  pages,
  base,
  inAddress,
  path = pages.definition.path,
  query,
  createQuery,
  onChanged,
  selection,
}: ResourceTableProps) {
  const view: ListView = pages.list ?? { columns: [] }
  const navigate = useNavigate()
  const [address] = useSearchParams()
  const metadata = useMetadata(path)
  const fields = metadata.data?.actions.GET ?? NO_FIELDS
  const offered = useMemo(
    () => (view.hasSearch === false ? [] : searchFields(fields, view.hideSearch, view.searchOptions)),
    [fields, view],
  )
  // Filter keys are known only when the metadata is there; until then every key of the address
  // might be one, and the list call must not wait for it.
  const possible = inAddress
    ? [...address.keys()].filter((name) => !['page', 'size', 'order', 'search', 'oid', 'activeTab'].includes(name))
    : Object.keys(view.initialFilters ?? {})
  const filterNames = metadata.data ? offered.map(({ name }) => name) : possible
  const treeKeys = view.treeKeys ?? []
  const [state, setState] = useListState(
    filterNames.filter((name) => !treeKeys.includes(name)),
    view.defaultOrder ?? '',
    inAddress,
    view.paging,
    view.initialFilters,
  )
  const treeQuery = inAddress
    ? Object.fromEntries(treeKeys.flatMap((key) => (address.get(key) ? [[key, address.get(key)]] : [])))
    : {}
  const ofPage = { ...(typeof view.query === 'function' ? view.query() : view.query), ...query }
  const paging = view.paging ?? 'offset'
  const sent = { ...pagedQuery(state, paging), ...ofPage, ...treeQuery }
  const list = useQuery({
    queryKey: keys.list(path, sent),
    queryFn: async ({ signal }) => asListPage(await api.get(path, { query: sent, signal, quiet: true })),
    placeholderData: keepPreviousData,
    refetchInterval: view.refetchInterval ?? false,
  })
  const rows = list.data?.results ?? NO_ROWS
  const count = list.isError ? 0 : (list.data?.count ?? 0)

  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = selection ? [selection.ids, selection.onChange] : [own, setOwn]
  const [seen] = useState(() => new Map<string, Row>())
  for (const row of rows) seen.set(row.id, row)

  // The last rows of the last page went away: step back to the page that is now the last (spec
  // A4.29).
  const beyond = list.isSuccess && !list.isPlaceholderData && rows.length === 0 && state.page > 1
  useEffect(() => {
    if (beyond) setState({ ...state, page: lastPage(count, state.size) }, 'replace')
  })

  const refresh = async () => {
    await forget(path)
    onChanged?.()
  }
  const context: ActionContext = { refresh, go: (to) => void navigate(to) }
  const frozen = frozenByRootOrg(pages)
  const rowActions = rowActionsOf(pages, base, path, frozen, (deleted) => {
    setSelected(new Set([...selected].filter((id) => id !== deleted.id)))
    onChanged?.()
  })
  const bulk = selection ? [] : bulkActionsOf(pages, path, frozen)
  const selectable = selection !== undefined || (view.hasSelection ?? bulk.some(({ always }) => !always))

  const writable =
    frozen || !mayWrite(pages, 'update')
      ? NO_FIELDS
      : (metadata.data?.actions.PATCH ?? metadata.data?.actions.PUT ?? NO_FIELDS)
  const columns = useMemo(
    () => tableColumns(pages, path, fields, writable, base, offered),
    [pages, path, fields, writable, base, offered],
  )
  const username = session().profile.username
  const table = `${base}_${path}`
  const [chosen, setChosen] = useState(() => chosenColumns(username, table))
  const allKeys = columns.map(({ key }) => key)
  const fixed = ['id', ...(view.minColumns ?? [allKeys[0] ?? ''])]
  const shown = (chosen ?? view.defaultColumns ?? allKeys).filter((key) => allKeys.includes(key))
  const visible: TableColumn[] = columns.filter(({ key }) => shown.includes(key) || fixed.includes(key))
  const withActions = view.hasActions !== false && (rowActions.length > 0 || view.hasActions === true)
  if (withActions)
    visible.push({
      key: 'actions',
      title: t('Actions@@column'),
      width: 150,
      align: 'center',
      draw: (row) => <RowActions row={row} actions={rowActions} context={context} />,
    })

  const createAddress = addressOf(view.createRoute ?? `${base}Create`)
  const canCreate =
    createAddress !== undefined &&
    mayWrite(pages, 'create') &&
    (typeof view.canCreate === 'function' ? view.canCreate() : view.canCreate !== false)
  const failed = list.isError || metadata.isError

  return (
    <section className="resource-table">
      <div className="table-tools">
        <div className="left">
          {canCreate && (
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
          {bulk.length > 0 && (
            <BulkMenu
              actions={bulk}
              selected={selected}
              seen={seen}
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
        <div className="right">
          {view.hasSearch !== false && (
            <SearchBox
              fields={offered}
              search={state.search}
              filters={state.filters}
              onChange={(change) => setState(changeList(state, change))}
            />
          )}
          {columns.length > 0 && (
            <ColumnChooser
              columns={[...columns, ...(withActions ? [{ key: 'actions', title: t('Actions@@column') }] : [])]}
              shown={shown}
              fixed={[...fixed, 'actions']}
              onChoose={(next) => {
                chooseColumns(username, table, next)
                setChosen(next)
              }}
            />
          )}
          {!selection && (
            <FileButtons
              pages={pages}
              listed={{ path, fixed: ofPage, chosen: { ...listQuery(state), ...treeQuery }, selected: [...selected] }}
              own={inAddress}
              frozen={frozen}
              onImported={() => void refresh()}
            />
          )}
          <Button
            icon={<ReloadOutlined spin={list.isFetching && !list.isLoading} />}
            aria-label={t('Refresh')}
            title={t('Refresh')}
            onClick={() => void list.refetch()}
          />
        </div>
      </div>
      {failed ? (
        <div className="table-failed" role="alert">
          <p>{errorText(list.error ?? metadata.error)}</p>
          <Button
            onClick={() => {
              void list.refetch()
              if (metadata.isError) void metadata.refetch()
            }}
          >
            {t('Try again')}
          </Button>
        </div>
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
            {...(selectable ? { selected, onSelect: setSelected, fixed: selection?.fixed } : {})}
            busy={list.isPlaceholderData}
            empty={
              list.isPending || metadata.isPending ? (
                <span className="loading">{t('Loading')}</span>
              ) : (
                <Empty
                  narrowed={state.search.length + Object.keys(state.filters).length > 0}
                  onReset={() => setState(changeList(state, { search: [], filters: {} }))}
                  canCreate={canCreate && !frozen}
                />
              )
            }
          />
        </PageRows>
      )}
      {paging !== 'none' && (
        <Pager
          count={count}
          page={state.page}
          size={state.size}
          sizes={sizesOf(paging)}
          jumper={paging === 'pages'}
          onPage={(page) => setState({ ...state, page })}
          onSize={(size) => {
            if (paging === 'offset') chooseSize(username, size)
            setState(changeList(state, { size }))
          }}
        />
      )}
    </section>
  )
}

/** Why there are no rows, and what to do about it. */
function Empty({
  narrowed,
  onReset,
  canCreate,
}: {
  narrowed: boolean
  onReset: () => void
  canCreate: boolean
}): ReactNode {
  if (!narrowed)
    return <span className="nothing">{canCreate ? t('Nothing here yet. Create the first one.') : t('No data')}</span>
  return (
    <span className="nothing">
      {t('Nothing matches the search')}{' '}
      <button type="button" className="link" onClick={onReset}>
        {t('Show all')}
      </button>
    </span>
  )
}
