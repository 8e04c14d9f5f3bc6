import { ChevronDownIcon, XIcon } from 'lucide-react'
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, type Ref, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { namesOf } from '../names.ts'
import type { OptionValue } from './options.ts'
import styles from './Select.module.css'

interface BoxProps extends Pick<HTMLAttributes<HTMLDivElement>, 'className' | 'title' | 'onMouseDown' | 'children'> {
  ref?: Ref<HTMLDivElement>
  size?: 'small' | undefined
  disabled: boolean
  isInvalid: boolean | undefined
}

/** The frame of a box, which looks like one input: chips, its input and its buttons are in it. */
export function Box({ className, size, disabled, isInvalid, ...props }: BoxProps) {
  return (
    <div
      {...props}
      className={namesOf([styles.box, className])}
      data-size={size}
      data-disabled={disabled || undefined}
      data-invalid={isInvalid || undefined}
    />
  )
}

export interface ChipRoom {
  size: number
  onMore: () => void
}

/**
 * How many chips are drawn: so many at first, and so many more each time they are asked for.
 * Thousands at once would make a form slow.
 */
export function useChipRoom(first = 100, more = 500): ChipRoom {
  const [size, setSize] = useState(first)
  return { size, onMore: () => setSize(size + more) }
}

interface ChipsProps<V extends OptionValue> {
  /** All that is chosen. */
  values: readonly V[]
  wordsOf: (value: V) => string
  /** The words for the eye. */
  labelOf?: ((value: V) => ReactNode) | undefined
  room: ChipRoom
  disabled: boolean
  /** Whether a choice stays: it is greyed, without a button. */
  isKept?: ((value: V) => boolean) | undefined
  onRemove: (value: V) => void
  /** The input behind the chips. */
  children: ReactNode
}

/**
 * The choices so far, each with a button that takes it away, and the input behind them. From the
 * start of the input the left arrow comes to the buttons; Delete and Backspace do what they say.
 */
export function Chips<V extends OptionValue>(props: ChipsProps<V>) {
  const { values, wordsOf, labelOf = wordsOf, room, disabled, isKept = () => false, onRemove, children } = props
  const box = useRef<HTMLDivElement>(null)
  const drawn = values.slice(0, room.size)
  const free = drawn.filter((one) => !isKept(one))
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>('[data-chip]') ?? [])]
    const input = box.current?.querySelector('input')
    const { target, key } = event
    const at = buttons.indexOf(target as HTMLElement)
    const go = (to: HTMLElement | null | undefined) => {
      event.preventDefault()
      to?.focus()
    }
    if (at < 0) {
      const isAtStart = target === input && input.selectionStart === 0 && input.selectionEnd === 0
      if (key === 'ArrowLeft' && isAtStart && buttons.length > 0) go(buttons.at(-1))
    } else if (key === 'ArrowLeft') go(buttons[at - 1])
    else if (key === 'ArrowRight' || key === 'Escape') go((key === 'ArrowRight' && buttons[at + 1]) || input)
    else if (key === 'Delete' || key === 'Backspace') {
      go(buttons[at + 1] ?? buttons[at - 1] ?? input)
      onRemove(free[at] as V)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons and the input in it
    <div ref={box} className={styles.chips} onKeyDown={handleKeyDown}>
      {drawn.map((one) => {
        const words = wordsOf(one)
        return (
          <span key={one} className={styles.chip} data-kept={isKept(one) || undefined}>
            <span title={words}>{labelOf(one)}</span>
            {!disabled && !isKept(one) && (
              <button
                type="button"
                className={styles.clear}
                data-chip
                tabIndex={-1}
                aria-label={t('Remove {{name}}', { name: words })}
                // The focus stays in the input.
                onMouseDown={(event) => event.preventDefault()}
                onClick={({ currentTarget }) => {
                  if (currentTarget === document.activeElement) box.current?.querySelector('input')?.focus()
                  onRemove(one)
                }}
              >
                <XIcon />
              </button>
            )}
          </span>
        )
      })}
      {values.length > drawn.length && (
        <button type="button" className="link" onClick={room.onMore}>
          {t('{{count}} more', { count: values.length - drawn.length })}
        </button>
      )}
      {children}
    </div>
  )
}

/** Takes the choice back; the keyboard does so by Delete in the box. */
export function ClearButton({ onClear }: { onClear: () => void }) {
  return (
    <button
      type="button"
      className={styles.clear}
      tabIndex={-1}
      aria-label={t('Clear')}
      // The focus stays in the input.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClear}
    >
      <XIcon />
    </button>
  )
}

/** At the end of the box: that it has a list, or that the list is being read. */
export function Mark({ isLoading }: { isLoading: boolean }) {
  return isLoading ? (
    <span className={`spinner ${styles.mark}`} />
  ) : (
    <ChevronDownIcon className={styles.mark} aria-hidden="true" />
  )
}
