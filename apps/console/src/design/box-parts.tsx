import { ChevronDownIcon, XIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../lib/i18n.ts'
import styles from './Select.module.css'

interface ChipProps {
  /** What is chosen, in plain words. */
  words: string
  children?: ReactNode
  /** Undefined where it stays. */
  onRemove?: (() => void) | undefined
}

/** One of several chosen things, in the box that they are chosen in. */
export function Chip({ words, children = words, onRemove }: ChipProps) {
  return (
    <span className={styles.chip}>
      <span title={words}>{children}</span>
      {onRemove && (
        <button
          type="button"
          className={styles.clear}
          // The keyboard takes them away by Backspace in the box.
          tabIndex={-1}
          aria-label={t('Remove {{name}}', { name: words })}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onRemove}
        >
          <XIcon />
        </button>
      )}
    </span>
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

/** In place of the chips that are not drawn. */
export function MoreChips({ count, onMore }: { count: number; onMore: () => void }) {
  return (
    <button type="button" className="link" onClick={onMore}>
      {t('{{count}} more', { count })}
    </button>
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
