import { Combobox } from '@base-ui/react/combobox'
import { CheckIcon } from 'lucide-react'
import type { ReactNode, UIEvent } from 'react'
import { t } from '../lib/i18n.ts'
import { NoOptions, OptionsFailed } from './LoadFailed.tsx'
import { type Option, type OptionSource, type OptionValue, wordsOf } from './options.ts'
import { Popup } from './Popup.tsx'
import styles from './Select.module.css'

export interface OptionListProps<V extends OptionValue> {
  /** The box that it belongs to, and the input in it. */
  anchor: HTMLElement
  input: HTMLInputElement | null
  options: readonly Option<V>[]
  isSearched: boolean
  source?: OptionSource | undefined
  none?: ReactNode
  footer?: ReactNode
  onScroll: (event: UIEvent<HTMLElement>) => void
  onClose: () => void
}

/** The open list of a select: its options, that they come, or why there are none. */
export function OptionList<V extends OptionValue>(props: OptionListProps<V>) {
  const { anchor, input, options, isSearched, source, none, footer, onScroll, onClose } = props
  return (
    <ListPopup anchor={anchor} input={input} onClose={onClose}>
      <Combobox.List className={styles.list} aria-label={nameOf(input)} onScroll={onScroll}>
        {grouped(options).map(({ group, own }) =>
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
      </Combobox.List>
      <ListState isEmpty={options.length === 0} {...{ isSearched, source, none }} />
      {footer && <div className={styles.foot}>{footer}</div>}
    </ListPopup>
  )
}

function option<V extends OptionValue>(one: Option<V>) {
  const words = wordsOf(one)
  return (
    <Combobox.Item
      key={one.value}
      className={styles.option}
      value={one.value}
      disabled={one.disabled ?? false}
      title={words}
      // Its words are read out, in place of parts that are set apart for the eye.
      {...(typeof one.label === 'string' ? {} : { 'aria-label': words })}
    >
      <span className={styles.optionLabel}>{one.label}</span>
      <Combobox.ItemIndicator className={styles.tick}>
        <CheckIcon />
      </Combobox.ItemIndicator>
    </Combobox.Item>
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

interface ListPopupProps {
  anchor: HTMLElement
  input: HTMLInputElement | null
  onClose: () => void
  children: ReactNode
}

/** The box that a list of choices is in, at least as wide as what it belongs to. */
export function ListPopup({ anchor, input, onClose, children }: ListPopupProps) {
  return (
    <Popup
      anchor={anchor}
      className={styles.popup}
      style={{ minWidth: anchor.offsetWidth }}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      // The down arrow comes from the last choice to the buttons below, and these keys go back.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'ArrowUp') return
        event.preventDefault()
        input?.focus()
      }}
      onClose={onClose}
    >
      {children}
    </Popup>
  )
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
