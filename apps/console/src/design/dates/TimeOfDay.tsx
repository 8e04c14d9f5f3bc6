import { t } from '../../lib/i18n.ts'
import styles from './DatePopup.module.css'

interface TimeOfDayProps {
  name: string
  /** Null while there is no date whose time it could be. */
  date: Date | null
  onChange: (date: Date) => void
}

/** Hour, minute and second of a date, on a 24-hour clock in every language. */
export function TimeOfDay({ name, date, onChange }: TimeOfDayProps) {
  const now: readonly [number, number, number] = date
    ? [date.getHours(), date.getMinutes(), date.getSeconds()]
    : [0, 0, 0]
  const part = (label: string, at: number, count: number) => (
    <select
      aria-label={label}
      value={now[at]}
      disabled={!date}
      onChange={({ target }) => {
        const [hours, minutes, seconds] = now.map((value, place) => (place === at ? Number(target.value) : value))
        const next = new Date(date ?? Date.now())
        next.setHours(hours ?? 0, minutes, seconds, 0)
        onChange(next)
      }}
    >
      {Array.from({ length: count }, (_, value) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the numbers themselves
        <option key={value} value={value}>
          {String(value).padStart(2, '0')}
        </option>
      ))}
    </select>
  )
  return (
    <fieldset className={styles.time} aria-label={name}>
      <span aria-hidden="true">{name}</span>
      {part(t('Hour'), 0, 24)}:{part(t('Minute'), 1, 60)}:{part(t('Second@@time'), 2, 60)}
    </fieldset>
  )
}
