import { type UIEvent, useMemo, useState } from 'react'
import { isMatch, type Option, type OptionSource, type OptionValue, wordsOf } from './options.ts'
import { type BoxKeyEvent, buttonBelow, takeKey, useSearchBox } from './use-search-box.ts'

/** So many options are drawn at first, and so many more at the end of the list. */
const DRAWN = 100
/** Pixels from the end of the list at which more are drawn or asked for. */
const NEAR_END = 48
/** The list is drawn as far as the chosen option, unless that is far away, and some options after it. */
const FARTHEST = 500
const AFTER_CHOSEN = 20

interface OptionListOptions<V extends OptionValue> {
  options: readonly Option<V>[]
  chosen?: V | undefined
  source: OptionSource | undefined
  disabled: boolean
  onEnter?: (() => void) | undefined
  onDelete?: (() => void) | undefined
}

/**
 * A box with a list of options: the list is searched by what is typed and drawn as far as it is
 * looked at. Base UI's combobox moves among the options and chooses them (WAI-ARIA, editable
 * combobox with list autocomplete); here are the keys that it has no say in.
 */
export function useOptionList<V extends OptionValue>({ options, chosen, ...given }: OptionListOptions<V>) {
  const box = useSearchBox(given)
  const { typed } = box
  const { source } = given
  const [drawn, setDrawn] = useState({ count: DRAWN, of: typed })
  const isSearchedHere = !source?.onSearch
  const found = useMemo(
    () => (isSearchedHere && typed?.trim() ? options.filter((option) => isMatch(wordsOf(option), typed)) : options),
    [options, typed, isSearchedHere],
  )
  // Another search begins at the start of its list.
  const count = drawn.of === typed ? drawn.count : DRAWN
  const shown = useMemo(() => {
    const at = chosen === undefined ? -1 : found.findIndex(({ value }) => value === chosen)
    return found.slice(0, Math.max(count, at < FARTHEST ? at + AFTER_CHOSEN : 0))
  }, [found, chosen, count])

  const handleScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: UIEvent<HTMLElement>) => {
    if (scrollTop + clientHeight <= scrollHeight - NEAR_END) return
    if (shown.length < found.length) setDrawn({ count: shown.length + DRAWN, of: typed })
    else source?.onEnd?.()
  }

  const handleKeyDown = (event: BoxKeyEvent) => {
    if (box.handleKey(event)) return
    const { key, currentTarget } = event
    const list = document.getElementById(currentTarget.getAttribute('aria-controls') ?? '')
    const drawn = [...(list?.querySelectorAll('[role=option]') ?? [])]
    const at = currentTarget.getAttribute('aria-activedescendant')
    const below = key === 'ArrowDown' && (drawn.at(-1)?.id ?? null) === at ? buttonBelow(currentTarget) : undefined
    if (key === 'Home') takeKey(event, () => highlight(drawn[0]))
    else if (key === 'End') takeKey(event, () => highlight(drawn.at(-1)))
    // Nothing is highlighted: the form that it is in is not to be sent either.
    else if (key === 'Enter' && !at) takeKey(event, () => {})
    else if (below) takeKey(event, () => below.focus())
  }

  return { ...box, shown, handleScroll, handleKeyDown }
}

/** Base UI knows Home and End in the text alone; it highlights what the pointer comes to. */
function highlight(option: Element | undefined): void {
  option?.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, movementX: 1 }))
  option?.scrollIntoView?.({ block: 'nearest' })
}
