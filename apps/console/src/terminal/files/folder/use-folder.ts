import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { type Listing, listFolder } from './files-api.ts'
import type { FolderChanges } from './folder-changes.ts'
import { assetOf, parentOf } from './paths.ts'

/** Changes that come in a row are read at once. */
const RELOAD_DELAY_MS = 700

export interface Folder {
  path: string
  /** Content of the folder; the last known while it is read again. */
  listing: Listing | undefined
  error: string | undefined
  loading: boolean
  reload: () => void
}

/** A folder as it is, read again when something in it has changed. */
export function useFolder(path: string, hidden: boolean, changes: FolderChanges): Folder {
  const [state, setState] = useState<Omit<Folder, 'reload'>>({
    path,
    listing: undefined,
    error: undefined,
    loading: true,
  })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((now) => now + 1), [])
  const latest = useRef(path)
  latest.current = path

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn asks to read again
  useEffect(() => {
    const stop = new AbortController()
    setState((now) => ({ path, listing: now.path === path ? now.listing : undefined, error: undefined, loading: true }))
    listFolder(path, hidden, stop.signal).then(
      (listing) => setState({ path, listing, error: undefined, loading: false }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ path, listing: undefined, error: whyNot(path, error), loading: false })
      },
    )
    return () => stop.abort()
  }, [path, hidden, turn])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = changes.listen((folder) => {
      if (folder !== latest.current) return
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, RELOAD_DELAY_MS)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [changes, reload])

  return { ...state, reload }
}

/** A path that is not there means something else for a machine than for a folder on it. */
function whyNot(path: string, error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 404) return errorText(error)
  return assetOf(path) !== undefined && parentOf(path) === '/'
    ? t('This machine is not granted to you, or it has no files to show.')
    : t('This folder no longer exists.')
}
