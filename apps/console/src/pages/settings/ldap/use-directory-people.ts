import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { ApiError, api, errorText, type Row } from '../../../lib/api.ts'
import { forget, keys } from '../../../lib/query.ts'
import type { DirectoryPlace } from './directory-place.ts'
import { importUsers } from './ldap-calls.ts'

interface Page {
  count: number
  results: Row[]
}

const POLL_MS = 1500
const FIRST_SIZE = 15
const isBeingAsked = (error: unknown) => error instanceof ApiError && error.status === 409

/** A page of a directory's people, and what can be done with those that are selected. */
export function useDirectoryPeople({ users, refresh }: DirectoryPlace) {
  const [state, setState] = useState({ page: 1, size: FIRST_SIZE, order: '', search: '' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const query = {
    cache_police: 1,
    limit: state.size,
    offset: (state.page - 1) * state.size,
    order: state.order,
    search: state.search,
  }
  const list = useQuery({
    queryKey: keys.list(users, query),
    queryFn: ({ signal }) => api.get<Page>(users, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    // The server reads the directory in the background and answers 409 until it is done.
    refetchInterval: ({ state: { error } }) => (isBeingAsked(error) ? POLL_MS : false),
  })
  const isAsking = isBeingAsked(list.error)
  const act = async (work: () => Promise<void>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return {
    state,
    /** Another size, order or search begins at the first page. */
    change: (next: Partial<typeof state>) => setState({ ...state, page: 1, ...next }),
    selected,
    setSelected,
    busy,
    list,
    /** The server is still reading the directory. */
    isAsking,
    failure: list.isError && !isAsking ? errorText(list.error) : undefined,
    rows: isAsking ? [] : (list.data?.results ?? []),
    count: list.data?.count ?? 0,
    /** Lets the server read the directory again. */
    refresh: () =>
      act(async () => {
        await refresh()
        setSelected(new Set())
        await list.refetch()
      }),
    /** Imports people by their user names; everybody for none. */
    bringIn: (names: readonly string[]) =>
      act(async () => {
        showSuccess(await importUsers(users, names))
        setSelected(new Set())
        await forget(users)
      }),
  }
}

export type DirectoryPeople = ReturnType<typeof useDirectoryPeople>
