import { CalendarIcon, XIcon } from 'lucide-react'
import { type FocusEvent, type InputHTMLAttributes, type KeyboardEvent, useId, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { lazily } from '../lazily.tsx'
import styles from './DateBox.module.css'
import type { CalendarChoice, DatePopupProps } from './DatePopup.tsx'
import { type Precision, SHAPES } from './typed-date.ts'
import type { TypedDates } from './use-typed-dates.ts'

/** The calendar is most of the code, and seldom wanted: it comes with the first that opens. */
const DatePopup = lazily<DatePopupProps>(() => import('./DatePopup.tsx').then((m) => m.DatePopup))

/** What every picker takes of an input. */
export interface DateInputProps {
  id?: string | undefined
  disabled?: boolean | undefined
  'aria-label'?: string | undefined
  'aria-required'?: boolean | undefined
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
  /**
   * The typed text means no value, for this reason; the picker holds none then. The reason is for
   * the caller to show; without this, the picker shows it.
   */
  onUnreadable?: ((reason: string) => void) | undefined
}

interface DateBoxProps extends DateInputProps {
  typed: TypedDates
  precision: Precision
  /** The names of two inputs; one is named by what the picker is named by. */
  names?: readonly [string, string]
  /** Takes the date away; undefined where there is none, or one is needed. */
  onClear?: (() => void) | undefined
  calendar: CalendarChoice
}

/** One date or two as text, with a calendar that a click or the down key opens. */
export function DateBox(props: DateBoxProps) {
  const { id, disabled, typed, precision, names, onClear, calendar, onUnreadable, ...aria } = props
  const box = useRef<HTMLSpanElement>(null)
  const noteId = useId()
  const [opened, setOpened] = useState<'by pointer' | 'by keys'>()
  const fault = onUnreadable ? undefined : typed.fault
  const isWrong = aria['aria-invalid'] || fault !== undefined || undefined
  const close = () => {
    setOpened(undefined)
    // From the calendar the focus goes back.
    const { activeElement } = document
    if (box.current?.parentElement?.contains(activeElement) && !box.current.contains(activeElement))
      box.current.querySelector('input')?.focus()
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isInput = event.target instanceof HTMLInputElement
    if (event.key === 'Escape' && opened) {
      // A dialog that it is in stays open.
      event.stopPropagation()
      event.preventDefault()
      close()
    } else if (event.key === 'ArrowDown' && isInput) {
      event.preventDefault()
      setOpened('by keys')
    } else if (event.key === 'Enter' && isInput) {
      // Before the form that it is in is sent.
      typed.leave()
    } else if (event.key === 'Tab' && box.current?.contains(event.target as Node)) {
      // People who go on do not want the calendar, which would be the next stop.
      setOpened(undefined)
    }
  }
  const handleBlur = ({ currentTarget, relatedTarget: to }: FocusEvent) => {
    const isOwnButton = box.current?.contains(to) && !(to instanceof HTMLInputElement)
    if (!currentTarget.contains(to) || isOwnButton) typed.leave()
  }
  const input = (at: number) => (
    <OneDate
      {...aria}
      id={at === 0 ? id : id && `${id}_end`}
      disabled={disabled}
      value={typed.texts[at] ?? ''}
      placeholder={SHAPES[precision]}
      aria-label={names ? names[at] : aria['aria-label']}
      aria-invalid={isWrong}
      aria-describedby={[aria['aria-describedby'], fault && noteId].filter(Boolean).join(' ') || undefined}
      onType={(text) => typed.type(at, text)}
      onPress={() => setOpened('by pointer')}
    />
  )
  // Two inputs are a group with a name of its own.
  const Field = names ? 'fieldset' : 'div'
  return (
    <Field
      className={styles.field}
      data-dates={precision}
      data-many={names && true}
      aria-label={names && aria['aria-label']}
      onKeyDown={handleKeyDown}
      onBlur={handleBlur}
      onPointerEnter={preload}
      onFocus={preload}
    >
      <span ref={box} className={styles.box} data-disabled={disabled || undefined} data-wrong={isWrong}>
        {input(0)}
        {names && <span aria-hidden="true">–</span>}
        {names && input(1)}
        <Buttons
          disabled={disabled}
          isOpen={opened !== undefined}
          onClear={onClear && after(typed.forget, onClear)}
          onToggle={() => (opened ? close() : setOpened('by keys'))}
        />
      </span>
      {fault && (
        <span className={styles.fault} id={noteId} role="alert">
          {fault}
        </span>
      )}
      {opened && box.current && (
        <DatePopup
          {...calendar}
          // A chosen date takes the place of a typed one.
          presets={calendar.presets.map(({ label, choose }) => ({ label, choose: after(typed.forget, choose) }))}
          onChoose={after(typed.forget, calendar.onChoose)}
          anchor={box.current}
          takesFocus={opened === 'by keys'}
          onClose={close}
        />
      )}
    </Field>
  )
}

interface ButtonsProps {
  disabled: boolean | undefined
  isOpen: boolean
  onClear: (() => void) | undefined
  onToggle: () => void
}

function Buttons({ disabled, isOpen, onClear, onToggle }: ButtonsProps) {
  return (
    <>
      {onClear && !disabled && (
        <button type="button" className={styles.button} aria-label={t('Clear')} onClick={onClear}>
          <XIcon />
        </button>
      )}
      <button
        type="button"
        className={styles.button}
        disabled={disabled}
        aria-label={t('Open the calendar')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <CalendarIcon />
      </button>
    </>
  )
}

const after =
  <Given extends unknown[]>(first: () => void, then: (...given: Given) => void) =>
  (...given: Given) => {
    first()
    then(...given)
  }

const preload = () => void DatePopup.preload().catch(() => {})

interface OneDateProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'onClick'> {
  onType: (text: string) => void
  /** It was pressed with a pointer; a finger has the button, as its keyboard would hide a calendar. */
  onPress: () => void
}

function OneDate({ onType, onPress, ...input }: OneDateProps) {
  return (
    <input
      {...input}
      className={styles.input}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => onType(target.value)}
      onClick={({ nativeEvent }) => {
        if ((nativeEvent as PointerEvent).pointerType !== 'touch') onPress()
      }}
    />
  )
}
