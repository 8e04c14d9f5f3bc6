import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { type Listing, listFolder } from './files-api.ts'
import type { FolderChanges } from './folder-changes.ts'

/** Changes that come in a row are read at once. */
const CALM_MS = 700

export interface Folder {
  path: string
  /** What is there; the last known while it is read anew. */
  listing: Listing | undefined
  error: string | undefined
  loading: boolean
  reload: () => void
}

/** A folder as it is, read again when something in it has changed. */
export function useFolder(path: string, hidden: boolean, changes: FolderChanges): Folder {
  const [state, setState] = useState<Omit<Folder, 'reload'>>({ path, listing: undefined, error: undefined, loading: true })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((now) => now + 1), [])
  const latest = useRef(path)
  latest.current = path

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is a wish to read again
  useEffect(() => {
    const stop = new AbortController()
    setState((now) => ({ path, listing: now.path === path ? now.listing : undefined, error: undefined, loading: true }))
    listFolder(path, hidden, stop.signal).then(
      (listing) => setState({ path, listing, error: undefined, loading: false }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ path, listing: undefined, error: errorText(error), loading: false })
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
      }, CALM_MS)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [changes, reload])

  return { ...state, reload }
}
