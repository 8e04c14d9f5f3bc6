/**
 * Views of lists that a person has named: what is searched for and filtered, the order, and the
 * columns. In local storage, apart for every user and table.
 */
import { storedObject } from '../../../lib/stored-object.ts'
import type { ListState } from '../../rows/list-state.ts'

export interface SavedView extends Pick<ListState, 'search' | 'filters' | 'order'> {
  /** Chosen by the person; unique in its table. */
  name: string
  /** Undefined: the page's own. */
  columns?: readonly string[]
}

/** Most views of one table; a menu with more is no help. */
export const MAX_VIEWS = 30
export const MAX_NAME_LENGTH = 60

type Stored = Record<string, SavedView[]>

const key = (username: string) => `tableViews_${username}`

const read = (username: string) => storedObject<Stored>(key(username))

/** What somebody else wrote there is no view. */
function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null
  return (
    typeof view?.name === 'string' &&
    typeof view.order === 'string' &&
    Array.isArray(view.search) &&
    typeof view.filters === 'object' &&
    view.filters !== null &&
    (view.columns === undefined || Array.isArray(view.columns))
  )
}

/** The views of a table, by their names. */
export function savedViews(username: string, table: string): readonly SavedView[] {
  const views: unknown = read(username)[table]
  return Array.isArray(views) ? views.filter(isView) : []
}

/** Keeps a view; one of the same name is replaced. Returns all of the table. */
export function saveView(username: string, table: string, view: SavedView): readonly SavedView[] {
  const others = savedViews(username, table).filter(({ name }) => name !== view.name)
  return write(
    username,
    table,
    [...others, view].toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, MAX_VIEWS),
  )
}

/** Returns those that are left. */
export function removeView(username: string, table: string, name: string): readonly SavedView[] {
  return write(
    username,
    table,
    savedViews(username, table).filter((view) => view.name !== name),
  )
}

function write(username: string, table: string, views: SavedView[]): readonly SavedView[] {
  const { [table]: _, ...others } = read(username)
  localStorage.setItem(key(username), JSON.stringify(views.length > 0 ? { ...others, [table]: views } : others))
  return views
}

/** Whether a list stands as a view says. */
export function isShown(view: SavedView, state: ListState, columns: readonly string[] | undefined): boolean {
  const pairs = ({ filters }: Pick<SavedView, 'filters'>) => Object.entries(filters).sort().join()
  return (
    view.order === state.order &&
    view.search.join() === state.search.join() &&
    pairs(view) === pairs(state) &&
    view.columns?.join() === columns?.join()
  )
}
