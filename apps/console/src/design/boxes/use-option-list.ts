import { type UIEvent, useMemo, useState } from 'react'
import { isMatch, type Option, type OptionSource, type OptionValue, wordsOf } from './options.ts'
import {
  type BoxKeyEvent,
  buttonBelow,
  DRAWN,
  isNearEnd,
  lineAfter,
  lineWithin,
  takeKey,
  useSearchBox,
} from './use-search-box.ts'

/** The list is drawn as far as the chosen option, unless that is far away, and some options after it. */
const FARTHEST = 500
const AFTER_CHOSEN = 20
/** Options that Page Up and Page Down go along. */
const SCREENFUL = 8

interface OptionListOptions<V extends OptionValue> {
  options: readonly Option<V>[]
  /** The list opens at it. */
  chosen?: V | undefined
  source: OptionSource | undefined
  disabled: boolean
  onEnter?: (() => void) | undefined
  onDelete?: (() => void) | undefined
  onChoose: (option: Option<V>) => void
}

/**
 * A box with a list of options, which is searched by what is typed and drawn as far as it is looked
 * at; keys move along it and choose.
 */
export function useOptionList<V extends OptionValue>({ options, chosen, onChoose, ...given }: OptionListOptions<V>) {
  const box = useSearchBox(given)
  const { typed, moved, setMoved } = box
  const { source } = given
  const [drawn, setDrawn] = useState({ count: DRAWN, of: typed })
  const isSearchedHere = !source?.onSearch
  const found = useMemo(
    () => (isSearchedHere && typed ? options.filter((option) => isMatch(wordsOf(option), typed)) : options),
    [options, typed, isSearchedHere],
  )
  const chosenAt = useMemo(
    () => (chosen === undefined ? -1 : found.findIndex(({ value }) => value === chosen)),
    [found, chosen],
  )
  // Another search begins at the start of its list.
  const count = Math.max(drawn.of === typed ? drawn.count : DRAWN, chosenAt < FARTHEST ? chosenAt + AFTER_CHOSEN : 0)
  const shown = useMemo(() => found.slice(0, count), [found, count])
  // The first match can be taken at once.
  const at = moved ?? (typed ? shown.findIndex(({ disabled }) => !disabled) : chosenAt < count ? chosenAt : -1)

  const drawMore = () => {
    if (shown.length < found.length) setDrawn({ count: shown.length + DRAWN, of: typed })
    else source?.onEnd?.()
  }
  const handleScroll = ({ currentTarget }: UIEvent<HTMLElement>) => {
    if (isNearEnd(currentTarget)) drawMore()
  }
  const choose = (option: Option<V> | undefined) => {
    if (option && !option.disabled) onChoose(option)
  }

  const handleKeyDown = (event: BoxKeyEvent) => {
    if (box.handleKey(event)) return
    const last = shown.length - 1
    const below = event.key === 'ArrowDown' && at === last ? buttonBelow(event.currentTarget) : undefined
    const page = { PageDown: SCREENFUL, PageUp: -SCREENFUL }[event.key]
    const to = page === undefined ? lineAfter(event.key, at, last) : lineWithin(at + page, last)
    if (below) takeKey(event, () => below.focus())
    // Where nothing is highlighted it does not send the form either.
    else if (event.key === 'Enter') takeKey(event, () => choose(shown[at]))
    else if (to !== undefined)
      takeKey(event, () => {
        setMoved(to)
        if (to >= last) drawMore()
      })
  }

  return { ...box, at, shown, choose, handleScroll, handleKeyDown }
}
