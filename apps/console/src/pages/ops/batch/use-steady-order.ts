import { useRef } from 'react'

/**
 * Keeps what is shown in its place: what is new comes below, whatever its size. What is there at
 * first stands as it is given.
 */
export function useSteadyOrder<T extends { key: string }>(things: readonly T[]): T[] {
  const shown = useRef<readonly string[]>([])
  const byKey = new Map(things.map((thing) => [thing.key, thing]))
  const known = shown.current.filter((key) => byKey.has(key))
  const before = new Set(known)
  shown.current = [...known, ...[...byKey.keys()].filter((key) => !before.has(key))]
  return shown.current.flatMap((key) => byKey.get(key) ?? [])
}
