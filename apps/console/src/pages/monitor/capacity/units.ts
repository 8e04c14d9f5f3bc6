import { CAPACITY_FIGURES, type CapacityFigure } from '@sallyport/contract/resources/monitor/capacity.ts'
import { languageTag, t } from '../../../lib/i18n.ts'

const number = (value: number) => new Intl.NumberFormat(languageTag(), { maximumSignificantDigits: 3 }).format(value)

/** A count as exact as it can be: two digits that count. */
export const about = (count: number) =>
  new Intl.NumberFormat(languageTag(), { maximumSignificantDigits: 2 }).format(count)

/** A figure as people read it, with its unit. */
export function formatMeasured(name: CapacityFigure, value: number): string {
  switch (CAPACITY_FIGURES[name]) {
    case 'milliseconds':
      return t('{{value}} ms', { value: number(value) })
    case 'per second':
      return t('{{value}} a second', { value: number(value) })
    case 'megabytes a second':
      return t('{{value}} MB/s', { value: number(value) })
    case 'count':
      return number(value)
    case 'megabytes':
      return value >= 1000
        ? t('{{value}} GB', { value: number(value / 1000) })
        : t('{{value}} MB', { value: number(value) })
  }
}
