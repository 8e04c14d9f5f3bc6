/**
 * Views of lists that a person has named: what is searched for and filtered, the order, the columns
 * and how close the rows are. The server keeps them; this browser has a copy, so that a list opens
 * with the view that is shown first.
 */
import type { ListView } from '@sallyport/contract/resources/users/list-view.ts'
import { useQuery } from '@tanstack/react-query'
import { api, outageOf } from '../../lib/api.ts'
import { atOnce } from '../../lib/at-once.ts'
import { keys, queryClient } from '../../lib/query.ts'
import { storedObject } from '../../lib/stored-object.ts'

export type SavedView = Omit<ListView, 'filters'> & { filters: Readonly<Record<string, string>> }
export type ViewContent = Omit<SavedView, 'id' | 'list' | 'name' | 'is_default'>

const PATH = '/api/v1/users/list-views/'
/** Other browsers of the person seldom change them. */
const FRESH_MS = 5 * 60_000

const queryKey = (username: string) => keys.list(PATH, { username })
const copyKey = (username: string) => `listViews_${username}`

/** All views of the person; undefined until they are known. */
export function useOwnViews(username: string, isWanted: boolean): readonly SavedView[] | undefined {
  return useQuery({
    queryKey: queryKey(username),
    queryFn: () => readViews(username),
    enabled: isWanted,
    staleTime: FRESH_MS,
    initialData: () => viewsInCopy(username),
    initialDataUpdatedAt: 0,
  }).data
}

async function readViews(username: string): Promise<readonly SavedView[]> {
  const stored = await api.get<unknown>(PATH, { quiet: true })
  const views = await takeOver(username, Array.isArray(stored) ? (stored as SavedView[]) : [])
  copy(username, views)
  return views
}

function copy(username: string, views: readonly SavedView[]): void {
  localStorage.setItem(copyKey(username), JSON.stringify({ views }))
}

/** What this browser knows of them; undefined where it knows nothing. */
export function viewsInCopy(username: string): SavedView[] | undefined {
  const { views } = storedObject<{ views: unknown }>(copyKey(username))
  return Array.isArray(views) ? (views as SavedView[]) : undefined
}

/**
 * Stores a view under its name; one of the same name in the list is replaced. Throws what the server
 * refuses, which has been shown.
 */
export async function saveView(
  username: string,
  known: readonly SavedView[],
  view: Pick<SavedView, 'list' | 'name'> & ViewContent,
): Promise<void> {
  const old = known.find(({ list, name }) => list === view.list && name === view.name)
  const stored = await (old ? api.patch<SavedView>(`${PATH}${old.id}/`, view) : api.post<SavedView>(PATH, view))
  change(username, (views) => [...views.filter(({ id }) => id !== stored.id), stored])
}

/** Gives a view another name, or makes it the one that is shown first. */
export async function changeView(
  username: string,
  { id, list }: SavedView,
  values: Partial<Pick<SavedView, 'name' | 'is_default'>>,
): Promise<void> {
  const change = (views: readonly SavedView[]) =>
    views.map((view) => {
      if (view.id === id) return { ...view, ...values }
      return values.is_default && view.list === list ? { ...view, is_default: false } : view
    })
  await changeAtOnce(username, change, () => api.patch(`${PATH}${id}/`, values))
}

export async function removeView(username: string, { id }: SavedView): Promise<void> {
  const change = (views: readonly SavedView[]) => views.filter((view) => view.id !== id)
  await changeAtOnce(username, change, () => api.delete(`${PATH}${id}/`))
}

/** Shown before the server has it; this browser's copy is made of what it has taken. */
async function changeAtOnce(
  username: string,
  change: (views: readonly SavedView[]) => readonly SavedView[],
  send: () => Promise<unknown>,
): Promise<void> {
  await atOnce(PATH, (views) => change(views as readonly SavedView[]), send)
  copy(username, queryClient.getQueryData<readonly SavedView[]>(queryKey(username)) ?? [])
}

function change(username: string, changed: (views: readonly SavedView[]) => readonly SavedView[]): void {
  const views = changed(queryClient.getQueryData<readonly SavedView[]>(queryKey(username)) ?? [])
  queryClient.setQueryData(queryKey(username), views)
  copy(username, views)
}

/** Whether a list stands as a view says. */
export function isShown(view: ViewContent, now: ViewContent): boolean {
  const pairs = ({ filters }: ViewContent) => Object.entries(filters).sort().join()
  return (
    view.order === now.order &&
    view.search.join() === now.search.join() &&
    pairs(view) === pairs(now) &&
    view.columns.join() === now.columns.join() &&
    view.density === now.density
  )
}

/** Where views were kept before the server kept them, by list. */
const formerKey = (username: string) => `tableViews_${username}`

/**
 * Views that were kept in this browser alone go to the server, once. A name that is taken there, and
 * what is refused, stays as the server has it.
 */
async function takeOver(username: string, stored: SavedView[]): Promise<readonly SavedView[]> {
  const former = Object.entries(storedObject<Record<string, unknown>>(formerKey(username))).flatMap(([list, views]) =>
    Array.isArray(views) ? (views as Partial<SavedView>[]).map((view) => ({ ...view, list })) : [],
  )
  if (former.length === 0) return stored
  const all = [...stored]
  for (const view of former) {
    if (all.some(({ list, name }) => list === view.list && name === view.name)) continue
    const taken = await api.post<SavedView>(PATH, view, { quiet: true }).catch((error: unknown) => {
      if (outageOf(error)) throw error
      return undefined
    })
    if (taken) all.push(taken)
  }
  localStorage.removeItem(formerKey(username))
  return all
}
