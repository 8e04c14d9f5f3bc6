import { useState } from 'react'
import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { type Precision, readTyped, SHAPES, writeTyped } from './typed-date.ts'

/** ISO 8601 texts, null where there is no date. */
export type IsoDates = readonly (string | null)[]

interface Options {
  /** The dates that the picker holds, one for each of its inputs. */
  values: IsoDates
  precision: Precision
  /** What readable dates mean together: values, or a text that says why they mean nothing. */
  judge: (dates: readonly (Date | null)[]) => IsoDates | string
  onChange: (values: IsoDates) => void
  /** The inputs mean nothing, for this reason; the picker holds no date then. */
  onUnreadable?: ((reason: string) => void) | undefined
}

/** The inputs of a picker. */
export interface TypedDates {
  /** The text of each input. */
  texts: readonly string[]
  /** Why they mean nothing, translated; known when they have been left. */
  fault: string | undefined
  type: (at: number, text: string) => void
  /** Nobody types any more: the picker takes what was typed. */
  leave: () => void
  /** The typed texts go, whatever they mean. */
  forget: () => void
}

/**
 * Keeps what is typed until it is left: half a date may mean another one, which nobody asked for.
 * A date from anywhere else takes its place.
 */
export function useTypedDates({ values, precision, judge, onChange, onUnreadable }: Options): TypedDates {
  const [typed, setTyped] = useState<{ texts: readonly string[]; held: string; fault?: string }>()
  const now = typed?.held === values.join() ? typed : undefined
  const texts =
    now?.texts ??
    values.map((value) => {
      const date = parseDate(value)
      return date ? writeTyped(date, precision) : ''
    })
  const meaningOf = (written: readonly string[]): IsoDates | string => {
    const dates = written.map((text) => (text.trim() === '' ? null : readTyped(text, precision)))
    return dates.includes(undefined)
      ? t('Write it as {{shape}}', { shape: SHAPES[precision] })
      : judge(dates as (Date | null)[])
  }
  return {
    texts,
    fault: now?.fault,
    type: (at, text) =>
      setTyped({ texts: texts.map((one, place) => (place === at ? text : one)), held: values.join() }),
    leave: () => {
      if (!now || now.fault !== undefined) return
      const means = meaningOf(texts)
      if (typeof means === 'string') {
        const held = onUnreadable ? values.map(() => null) : values
        setTyped({ texts, held: held.join(), fault: means })
        onUnreadable?.(means)
      } else {
        setTyped(undefined)
        onChange(means)
      }
    },
    forget: () => setTyped(undefined),
  }
}
