import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType, useSearchParams } from 'react-router'
import { prefer, usePreferences } from '../../../design/look/preferences.ts'
import { session } from '../../../session/session.ts'
import { changeList } from '../../rows/list-state.ts'
import { isShown, useOwnViews, type ViewContent } from '../saved-views.ts'
import type { ListedRows } from '../use-listed-rows.ts'
import type { TableColumns } from '../use-table-columns.ts'

/** Keys of the address that say nothing about which rows are wanted. */
const NOT_OF_ROWS = ['oid', 'activeTab']

/** The list that views are of. */
interface OfList {
  /** Whether people keep views of it. */
  has: boolean
  defaultOrder: string | undefined
}

/** The views of a list, and the one that it shows now. */
export function useViews(listed: ListedRows, columns: TableColumns, { has, defaultOrder = '' }: OfList) {
  const { username } = session().profile
  const { density } = usePreferences()
  const { state } = listed
  const { table, chosen } = columns
  const views = (useOwnViews(username, has) ?? [])
    .filter(({ list }) => list === table)
    .toSorted((one, other) => one.name.localeCompare(other.name))
  const content: ViewContent = {
    search: [...state.search],
    filters: state.filters,
    order: state.order,
    columns: [...(chosen ?? [])],
    density,
  }
  return {
    username,
    table,
    /** Views of this list, by their names. */
    views,
    /** How the list stands now. */
    content,
    current: views.find((view) => isShown(view, content)),
    show: (view: ViewContent) => show(view, listed, columns, 'push'),
    /** The list as everybody has it. */
    showPlain: () =>
      show({ search: [], filters: {}, order: defaultOrder, columns: [], density }, listed, columns, 'push'),
  }
}

export type ListViews = ReturnType<typeof useViews>

/** A list that is opened without a search of its own shows the view that the person wants first. */
export function useFirstView(listed: ListedRows, columns: TableColumns, { has, defaultOrder = '' }: OfList): void {
  const views = useOwnViews(session().profile.username, has)
  const isUntouched = useIsUntouched() && listed.state.order === defaultOrder
  const isDecided = useRef(!has)
  useEffect(() => {
    if (isDecided.current || !views) return
    isDecided.current = true
    const first = views.find(({ list, is_default }) => is_default && list === columns.table)
    if (first && isUntouched) show(first, listed, columns, 'replace')
  })
}

function show(
  view: ViewContent,
  { state, setState }: ListedRows,
  { choose }: TableColumns,
  step: 'push' | 'replace',
): void {
  choose(view.columns.length > 0 ? view.columns : undefined)
  prefer({ density: view.density })
  setState(changeList(state, { search: view.search, filters: view.filters, order: view.order }), step)
}

/** Whether a list is opened by an address that names no rows, and not by going back to it. */
function useIsUntouched(): boolean {
  const [address] = useSearchParams()
  const { key } = useLocation()
  const isReturn = useNavigationType() === 'POP' && key !== 'default'
  return !isReturn && [...address.keys()].every((name) => NOT_OF_ROWS.includes(name))
}
