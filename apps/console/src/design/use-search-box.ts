import type { BaseUIEvent } from '@base-ui/react/types'
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react'
import type { OptionSource } from './options.ts'

/** A key in the box; Base UI's own handlers follow where the box is made with it. */
export type BoxKeyEvent = KeyboardEvent<HTMLInputElement> &
  Partial<Pick<BaseUIEvent<KeyboardEvent>, 'preventBaseUIHandler'>>

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
  event.preventBaseUIHandler?.()
  action()
}

/** The first button in the popup of the list that an input controls. */
export const buttonBelow = (input: HTMLInputElement): HTMLElement | null | undefined =>
  document
    .getElementById(input.getAttribute('aria-controls') ?? '')
    ?.parentElement?.querySelector<HTMLElement>('button:enabled')

/** A box whose input searches the list below it: how the list opens and closes. */
export function useSearchBox({ source, disabled, onEnter, onDelete }: SearchBoxOptions) {
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  /** Undefined until something is typed. */
  const [typed, setTyped] = useState<string>()

  const search = (text: string | undefined) => {
    setTyped(text)
    source?.onSearch?.(text ?? '')
  }
  const open = (next: boolean) => {
    if (next === isOpen || (next && disabled)) return
    setIsOpen(next)
    source?.onOpenChange?.(next)
    if (!next) search(undefined)
  }
  const close = () => open(false)
  const type = (text: string) => {
    open(true)
    search(text)
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

  /** The keys that open and close the list. Answers whether the event was one of them. */
  const handleKey = (event: BoxKeyEvent): boolean => {
    const { key } = event
    if (key === 'Tab') {
      // It goes on from here, past the buttons of the list.
      close()
      return true
    }
    // Keys of an input method choose its own words.
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return true
    if (key === 'Escape') {
      // Base UI would also take the choice back.
      event.preventBaseUIHandler?.()
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

  return { box, input, isOpen, open, close, typed, search, type, handlePress, handleKey }
}
