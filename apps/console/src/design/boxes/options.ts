import type { ReactNode } from 'react'

export type OptionValue = string | number

export interface Option<V extends OptionValue = string> {
  value: V
  label: ReactNode
  /** The label in plain words, where it is none: it is searched, and shown in the box. */
  text?: string
  disabled?: boolean
  /** Options of one group follow each other, under its name. */
  group?: string
}

/** An option in plain words. */
export const wordsOf = ({ text, label }: Pick<Option, 'text' | 'label'>): string => text ?? String(label)

/** Whether a text contains what is typed, whatever the case. */
export const isMatch = (text: string, typed: string): boolean =>
  text.toLocaleLowerCase().includes(typed.trim().toLocaleLowerCase())

/** Where options come from elsewhere, page by page: who searches, and what the list says meanwhile. */
export interface OptionSource {
  /** Gets the typed text; without it the options at hand are searched. */
  onSearch?: (typed: string) => void
  onOpenChange?: (isOpen: boolean) => void
  /** The list is near its end: time for the next page. */
  onEnd?: () => void
  isLoading?: boolean
  /** Why options are missing. */
  error?: unknown
  onRetry?: () => void
}

/** The words of an input for people who hear it. */
export interface InputWords {
  id?: string | undefined
  'aria-label'?: string | undefined
  'aria-required'?: boolean | undefined
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

/** What every select has. */
export interface SelectBaseProps<V extends OptionValue> extends InputWords {
  options: readonly Option<V>[]
  /** An option that is chosen and not among those at hand. */
  optionOf?: (value: V) => Option<V> | undefined
  source?: OptionSource
  /** Why there are no options, and what to do about it. */
  none?: ReactNode
  /** Below the options: what concerns all of them. */
  footer?: ReactNode
  placeholder?: string | undefined
  disabled?: boolean | undefined
  size?: 'small'
  className?: string
}
