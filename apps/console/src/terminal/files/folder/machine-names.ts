import { useEffect, useState } from 'react'
import { findAsset } from '../../assets/use-asset-tree.ts'
import { assetOf } from './paths.ts'

/** Host names by asset id, for paths that name a machine by its id. */
const names = new Map<string, string>()

export function rememberMachine(id: string, hostname: string): void {
  names.set(id, hostname)
}

/** A path as a person reads it: with the host name in place of the machine's id. */
export function shownPath(path: string): string {
  const id = assetOf(path)
  const name = id === undefined ? undefined : names.get(id)
  return name === undefined ? path : `/${name}${path.slice(`/@${id}`.length)}`
}

/**
 * The host name of the machine that a path names by id; undefined for other paths and until it is
 * known.
 */
export function useMachineName(path: string): string | undefined {
  const id = assetOf(path)
  const [, setTurn] = useState(0)
  useEffect(() => {
    if (!id || names.has(id)) return
    let isGone = false
    findAsset(id).then(
      (item) => {
        if (item) names.set(id, item.meta.data.hostname ?? item.name)
        if (!isGone) setTurn((now) => now + 1)
      },
      () => {
        // The listing says what is wrong with this path.
      },
    )
    return () => {
      isGone = true
    }
  }, [id])
  return id === undefined ? undefined : names.get(id)
}
