import { useEffect, useRef } from 'react'
import type { FollowWanted, ListChanges } from '../pane/use-questions.ts'
import type { Listing, ObjectChange } from './objects.ts'

/** What ends at once over and over is not followed any more. */
const PAUSE_MS = 10_000

interface FollowedList {
  /** The page is looked at, and the cluster can be asked. */
  isOn: boolean
  listing: Listing
  /** How often the list was read, and the moment of that. */
  reads: number
  since: string | undefined
  follow: (wanted: FollowWanted) => void
  onChanges: (changes: readonly ObjectChange[]) => void
  /** It has changed in ways that nobody can tell any more. */
  onLost: () => void
}

/**
 * Keeps a list as the cluster has it for as long as somebody looks at it. Answers what takes the
 * gateway's news.
 */
export function useFollowedList(list: FollowedList): (news: ListChanges) => void {
  const { isOn, listing, reads, since } = list
  const { kind, namespace, selector } = listing
  const latest = useRef(list)
  latest.current = list
  const number = useRef(0)
  const begunAgain = useRef(Number.NEGATIVE_INFINITY)

  const follow = useRef((from: string | undefined) =>
    latest.current.follow({
      number: ++number.current,
      ...(from ? { list: { ...latest.current.listing, since: from } } : {}),
    }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another after each reading, and for another listing
  useEffect(() => {
    if (!isOn || !since) return
    follow.current(since)
    return () => follow.current(undefined)
  }, [isOn, since, reads, kind, namespace, selector])

  return (news) => {
    if (news.number !== number.current) return
    if (news.changes) latest.current.onChanges(news.changes)
    if (!news.ended || news.ended === 'refused' || performance.now() - begunAgain.current < PAUSE_MS) return
    begunAgain.current = performance.now()
    if (news.ended === 'over') follow.current(news.since)
    else latest.current.onLost()
  }
}
