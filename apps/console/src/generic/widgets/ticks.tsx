/** Switches, boxes and buttons of which one or more are chosen. */
import { type ReactNode, useEffect, useRef } from 'react'
import { Switch } from '../../design/Switch.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'

export function OnOff({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  const { 'aria-required': __, 'aria-invalid': ___, ...rest } = props
  return <Switch {...rest} checked={value === true} aria-label={t(field.label)} onChange={(next) => onChange?.(next)} />
}

export function Tick({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  return (
    <input
      {...props}
      type="checkbox"
      className="tick"
      checked={value === true}
      aria-label={t(field.label)}
      onChange={({ target }) => onChange?.(target.checked)}
    />
  )
}

/**
 * One of a few choices, all in sight: side by side, or as cards where the field says what each
 * means.
 */
export function Radios({ field, context: _, value, onChange, id, disabled, ...props }: WidgetProps<unknown>) {
  const { 'aria-invalid': invalid, 'aria-describedby': describedBy, 'aria-required': required } = props
  const { choices = [], meanings } = field
  return (
    <div
      id={id}
      role="radiogroup"
      className={meanings ? 'choice-cards' : 'segments'}
      aria-label={t(field.label)}
      aria-invalid={invalid}
      aria-describedby={describedBy}
      aria-required={required}
    >
      {choices.map((choice) => {
        const meaning = meanings?.[String(choice.value)]
        return (
          <label key={String(choice.value)}>
            <input
              type="radio"
              name={id}
              aria-label={choice.display_name}
              checked={choice.value === value}
              disabled={disabled}
              onChange={() => onChange?.(choice.value)}
            />
            <span>{choice.display_name}</span>
            {meaning && <small>{t(meaning)}</small>}
          </label>
        )
      })}
    </div>
  )
}

/** Several of a few choices, all in sight. */
export function CheckboxGroup({ value, onChange, disabled, field, id }: WidgetProps<string[]>) {
  const ticked = value ?? []
  return (
    // biome-ignore lint/a11y/useSemanticElements: the form draws the legend as the label of the field
    <div id={id} role="group" aria-label={t(field.label)} className="ticks">
      {(field.choices ?? []).map((choice) => {
        const own = String(choice.value)
        return (
          <TickLine
            key={own}
            isTicked={ticked.includes(own)}
            disabled={disabled}
            onTick={(now) => onChange?.(now ? [...ticked, own] : ticked.filter((one) => one !== own))}
          >
            {choice.display_name}
          </TickLine>
        )
      })}
    </div>
  )
}

interface TickLineProps {
  /** In part: some of those below are ticked. */
  isTicked: boolean | 'partly'
  disabled: boolean | undefined
  onTick: (now: boolean) => void
  children: ReactNode
}

/** A box and what it is for. */
export function TickLine({ isTicked, disabled, onTick, children }: TickLineProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = isTicked === 'partly'
  }, [isTicked])
  return (
    <label className="tick-line">
      <input
        ref={box}
        type="checkbox"
        className="tick"
        checked={isTicked === true}
        disabled={disabled}
        onChange={({ target }) => onTick(target.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
