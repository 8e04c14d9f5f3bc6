import { CheckIcon } from 'lucide-react'
import { type ReactNode, type UIEvent, useLayoutEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { NoOptions, OptionsFailed } from '../LoadFailed.tsx'
import { Popup } from '../popups/Popup.tsx'
import { type Option, type OptionSource, type OptionValue, wordsOf } from './options.ts'
import styles from './Select.module.css'
import type { SearchBox } from './use-search-box.ts'

interface OptionListProps<V extends OptionValue> {
  list: SearchBox & {
    at: number
    shown: readonly Option<V>[]
    choose: (option: Option<V>) => void
    handleScroll: (event: UIEvent<HTMLElement>) => void
  }
  chosen: ReadonlySet<V>
  isMultiple?: boolean
  source: OptionSource | undefined
  none: ReactNode
  footer: ReactNode
}

/** The open list of a select: its options, that they come, or why there are none. */
export function OptionList<V extends OptionValue>(props: OptionListProps<V>) {
  const { list, chosen, isMultiple = false, source, none, footer } = props
  const { listId, at, shown, typed } = list
  const lines = useLineInView(at)
  let index = 0
  const option = (one: Option<V>) => {
    const place = index++
    const isChosen = chosen.has(one.value)
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the input, which names the active option
      // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys, as its pattern asks
      <div
        key={one.value}
        id={`${listId}-${place}`}
        className={styles.option}
        role="option"
        title={wordsOf(one)}
        aria-selected={isChosen}
        aria-disabled={one.disabled || undefined}
        data-active={place === at || undefined}
        onMouseMove={() => place !== at && list.setMoved(place)}
        onClick={() => list.choose(one)}
      >
        <span className={styles.optionLabel}>{one.label}</span>
        {isChosen && <CheckIcon className={styles.tick} aria-hidden="true" />}
      </div>
    )
  }
  return (
    <ListPopup list={list}>
      <div
        ref={lines}
        id={listId}
        className={styles.list}
        role="listbox"
        aria-label={nameOf(list.input.current)}
        aria-multiselectable={isMultiple || undefined}
        onScroll={list.handleScroll}
      >
        {grouped(shown).map(({ group, own }) =>
          group ? (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
            <div key={own[0]?.value} role="group" aria-label={group}>
              <div className={styles.group} aria-hidden="true">
                {group}
              </div>
              {own.map(option)}
            </div>
          ) : (
            own.map(option)
          ),
        )}
      </div>
      <ListState isEmpty={shown.length === 0} isSearched={typed !== ''} {...{ source, none }} />
      {footer && <div className={styles.foot}>{footer}</div>}
    </ListPopup>
  )
}

/** Options that follow each other in one group. */
function grouped<V extends OptionValue>(options: readonly Option<V>[]) {
  const groups: { group: string | undefined; own: Option<V>[] }[] = []
  for (const one of options) {
    const last = groups.at(-1)
    if (last && last.group === one.group) last.own.push(one)
    else groups.push({ group: one.group, own: [one] })
  }
  return groups
}

/** The line that the keys are at is scrolled into view. */
export function useLineInView(at: number) {
  const lines = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (at >= 0) lines.current?.querySelector('[data-active]')?.scrollIntoView?.({ block: 'nearest' })
  }, [at])
  return lines
}

/** The box that a list of choices is in, at least as wide as what it belongs to. */
export function ListPopup({ list: { box, input, close }, children }: { list: SearchBox; children: ReactNode }) {
  const anchor = box.current
  if (!anchor) return null
  return (
    <Popup
      anchor={anchor}
      className={styles.popup}
      style={{ minWidth: anchor.offsetWidth, maxHeight: roomAt(anchor) }}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      // The down arrow comes from the last choice to the buttons below, and these keys go back.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'ArrowUp') return
        event.preventDefault()
        input.current?.focus()
      }}
      onClose={close}
    >
      {children}
    </Popup>
  )
}

const HIGHEST = 320
const LOWEST = 120
/** Between the list, its box and the edge of the window. */
const GAPS = 12

/** How high a list may be below or above its box without covering it. Pixels. */
function roomAt(anchor: HTMLElement): number {
  const { top, bottom } = anchor.getBoundingClientRect()
  return Math.max(LOWEST, Math.min(HIGHEST, Math.max(top, window.innerHeight - bottom) - GAPS))
}

interface ListStateProps {
  isEmpty: boolean
  isSearched: boolean
  source: OptionSource | undefined
  none: ReactNode
}

/** In place of choices, or below those that are there: that they come, why they do not, or that there are none. */
export function ListState({ isEmpty, isSearched, source = {}, none }: ListStateProps) {
  const { isLoading = false, error, onRetry = () => {} } = source
  if (!isEmpty) return error && !isLoading ? <OptionsFailed error={error} onRetry={onRetry} /> : null
  return (
    <div className={styles.none} role="status">
      {isLoading || error ? (
        <NoOptions isLoading={isLoading} error={error} onRetry={onRetry} />
      ) : isSearched ? (
        t('Nothing matches')
      ) : (
        (none ?? t('There is nothing to choose from'))
      )}
    </div>
  )
}

/** The list has the name of its input. */
export function nameOf(input: HTMLInputElement | null): string {
  return input?.getAttribute('aria-label') || input?.labels?.[0]?.textContent || t('Options')
}
