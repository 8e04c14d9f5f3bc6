import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { Marker } from './markers.ts'
import { openPlayer, type Player } from './player.ts'
import type { Recording } from './recording.ts'

export interface RecordingPlayerProps {
  recording: Recording
  /** Second of the recording to begin at. */
  startAt: number
  markers: readonly Marker[]
  /** Part of a page that has keys of its own: the player hears those pressed in it. */
  isEmbedded?: boolean
  /** Leads to the search of the page, if it has one. */
  onSearch?: (() => void) | undefined
  ref?: Ref<Pick<Player, 'seek'>>
}

/** The player in a page of ours; another recording is another player. */
export function RecordingPlayer({
  recording,
  startAt,
  markers,
  isEmbedded = false,
  onSearch,
  ref,
}: RecordingPlayerProps) {
  const box = useRef<HTMLDivElement>(null)
  const player = useRef<Player>(undefined)
  const beginAt = useRef(startAt)
  const search = useRef(onSearch)
  search.current = onSearch
  const hasSearch = onSearch !== undefined

  useEffect(() => {
    const own = box.current as HTMLDivElement
    // The watermark beside it must fill the screen with it.
    const frame = own.parentElement ?? own
    const opened = openPlayer(own, recording, {
      startAt: beginAt.current,
      frame,
      keysOf: isEmbedded ? frame : document,
      onSearch: hasSearch ? () => search.current?.() : undefined,
    })
    player.current = opened
    return () => {
      player.current = undefined
      opened.dispose()
    }
  }, [recording, isEmbedded, hasSearch])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new player needs the markers as well
  useEffect(() => player.current?.mark(markers), [markers, recording])
  useImperativeHandle(ref, () => ({ seek: (seconds) => player.current?.seek(seconds) }))

  return <div className="wt-player" ref={box} />
}
