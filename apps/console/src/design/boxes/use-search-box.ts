import { type KeyboardEvent, type MouseEvent, useId, useRef, useState } from 'react'
import type { OptionSource } from './options.ts'

export type BoxKeyEvent = KeyboardEvent<HTMLInputElement>

interface SearchBoxOptions {
  source?: OptionSource | undefined
  disabled: boolean
  /** Enter while the list is closed, instead of opening it. */
  onEnter?: (() => void) | undefined
  /** Delete or Backspace in the box while the list is closed. */
  onDelete?: (() => void) | undefined
}

/** Does this for a key, and nothing else. */
export function takeKey(event: BoxKeyEvent, action: () => void): void {
  event.preventDefault()
  action()
}

/** The line that a key leads to; undefined for keys that move along no lines. @param last -1 where there are none */
export function lineAfter(key: string, at: number, last: number): number | undefined {
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, Home: 0, End: last }[key]
  return to === undefined ? undefined : lineWithin(to, last)
}

/** The nearest line that there is. */
export const lineWithin = (line: number, last: number): number => Math.max(0, Math.min(last, line))

/** Pixels from the end of a list at which more of it is drawn or asked for. */
const NEAR_END = 48

/** Whether a list has been scrolled to its end, or almost. */
export const isNearEnd = ({ scrollTop, clientHeight, scrollHeight }: Element): boolean =>
  scrollTop + clientHeight > scrollHeight - NEAR_END

/** So many lines of a list are drawn at first, and so many more at its end. */
export const DRAWN = 100

/** The first button in the popup of the list that an input controls. */
export const buttonBelow = (input: HTMLInputElement): HTMLElement | null | undefined =>
  document
    .getElementById(input.getAttribute('aria-controls') ?? '')
    ?.parentElement?.querySelector<HTMLElement>('button:enabled')

/**
 * A box whose input searches the list below it: how the list opens, closes and is searched, and
 * which of its lines the keys are at (WAI-ARIA, editable combobox with list autocomplete).
 */
export function useSearchBox({ source, disabled, onEnter, onDelete }: SearchBoxOptions) {
  const listId = useId()
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const isComposing = useRef(false)
  const [isOpen, setIsOpen] = useState(false)
  /** The text in the input; undefined until something is typed. */
  const [text, setText] = useState<string>()
  /** The search text: words of an input method count once they are put together. */
  const [typed, setTyped] = useState('')
  /** The line that the keys or the pointer have come to; undefined until they do. */
  const [moved, setMoved] = useState<number>()

  const search = (next: string) => {
    setTyped(next.trim())
    setMoved(undefined)
    source?.onSearch?.(next)
  }
  const reset = () => {
    setText(undefined)
    search('')
  }
  const open = (next: boolean) => {
    if (next === isOpen || (next && disabled)) return
    setIsOpen(next)
    source?.onOpenChange?.(next)
    reset()
  }
  const close = () => open(false)
  const type = (next: string) => {
    open(true)
    setText(next)
    if (!isComposing.current) search(next)
  }

  /** A press anywhere in the box, of which the buttons have their own meaning. */
  const handlePress = (event: MouseEvent<HTMLElement>) => {
    if (event.button !== 0 || (event.target as Element).closest('button')) return
    const isInInput = event.target === input.current
    // Only the input can have the focus.
    if (!isInInput) event.preventDefault()
    input.current?.focus()
    open(isInInput || !isOpen)
  }

  const handleKey = (event: BoxKeyEvent) => boxKey(event, { isOpen, open, close, onEnter, onDelete })

  const composition = {
    onCompositionStart: () => {
      isComposing.current = true
    },
    onCompositionEnd: () => {
      isComposing.current = false
      search(input.current?.value ?? '')
    },
  }
  return {
    listId,
    box,
    input,
    isOpen,
    close,
    text,
    typed,
    reset,
    type,
    moved,
    setMoved,
    handlePress,
    handleKey,
    composition,
  }
}

interface BoxKeyOptions extends Pick<SearchBoxOptions, 'onEnter' | 'onDelete'> {
  isOpen: boolean
  open: (next: boolean) => void
  close: () => void
}

/** The keys that open and close the list. Answers whether the event was one of them, or is none of ours. */
function boxKey(event: BoxKeyEvent, { isOpen, open, close, onEnter, onDelete }: BoxKeyOptions): boolean {
  const { key } = event
  if (key === 'Tab') {
    // It goes on from here, past the buttons of the list.
    close()
    return true
  }
  // Keys of an input method choose its own words.
  if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return true
  if (key === 'Escape') {
    if (!isOpen) return true
    // A dialog that it is in stays open.
    event.stopPropagation()
    close()
    return true
  }
  if (isOpen) return false
  if (key === 'Enter' && onEnter) takeKey(event, onEnter)
  else if (['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(key)) takeKey(event, () => open(true))
  else if (onDelete && (key === 'Delete' || key === 'Backspace')) takeKey(event, onDelete)
  return true
}

export type SearchBox = ReturnType<typeof useSearchBox>
