/**
 * Five-part times of day and date as the cron editor reads and writes them
 * (docs/rules/lists-and-forms.md#cron_editor).
 */
import { msg, t } from '../../../lib/i18n.ts'

export interface CronRange {
  /** Marked with `msg`. */
  title: string
  min: number
  max: number
}

/** In the order in which the parts are written; week days go from 1, Monday, to 7, Sunday. */
export const CRON_PARTS: readonly CronRange[] = [
  { title: msg('Minute'), min: 0, max: 59 },
  { title: msg('Hour'), min: 0, max: 23 },
  { title: msg('Day@@cron'), min: 1, max: 31 },
  { title: msg('Month'), min: 1, max: 12 },
  { title: msg('Week'), min: 1, max: 7 },
]

export const CRON_DEFAULT = '0 0 * * *'

/** What one part says, when it is one of the four things that the editor can say. */
export type CronPart =
  | { kind: 'every' }
  | { kind: 'range'; from: number; to: number }
  | { kind: 'step'; from: number; step: number }
  | { kind: 'chosen'; values: number[] }

/** The five parts of an expression; parts that are missing are `*`. */
export function cronParts(text: string): string[] {
  const parts = text.trim().split(/\s+/).filter(Boolean)
  return CRON_PARTS.map((_, at) => parts[at] ?? '*')
}

/** Reads one part; undefined when it is valid in another way, or not at all. */
export function readCronPart(text: string, range: CronRange): CronPart | undefined {
  if (text === '*') return { kind: 'every' }
  const step = /^(?:\*|(\d+)-(\d+))\/(\d+)$/.exec(text)
  if (step) {
    const [, from, to, every] = step
    const whole = to === undefined || Number(to) === range.max
    return whole && within(range, from) && Number(every) > 0
      ? { kind: 'step', from: from === undefined ? range.min : Number(from), step: Number(every) }
      : undefined
  }
  const span = /^(\d+)-(\d+)$/.exec(text)
  if (span)
    return within(range, span[1], span[2]) ? { kind: 'range', from: Number(span[1]), to: Number(span[2]) } : undefined
  if (!/^\d+(,\d+)*$/.test(text)) return undefined
  const values = text.split(',')
  return within(range, ...values) ? { kind: 'chosen', values: values.map(Number) } : undefined
}

/**
 * Writes a part in the form that every scheduler reads: a step from somewhere names the end of its
 * range.
 */
export function writeCronPart(part: CronPart, { min, max }: CronRange): string {
  switch (part.kind) {
    case 'every':
      return '*'
    case 'range':
      return `${part.from}-${part.to}`
    case 'step':
      return part.from === min ? `*/${part.step}` : `${part.from}-${max}/${part.step}`
    case 'chosen':
      return part.values.length === 0 ? '*' : part.values.toSorted((one, other) => one - other).join()
  }
}

/**
 * The fault of a text that is not exactly five parts within their ranges (A5.09 B5.07);
 * 0 is Sunday as well.
 */
export function cronFault(text: string): string | undefined {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== CRON_PARTS.length) return t('A schedule has five parts')
  const at = CRON_PARTS.findIndex((range, part) => !isPart(parts[part] ?? '', range))
  const range = CRON_PARTS[at]
  if (!range) return undefined
  const { title, min, max } = range
  return t('{{part}} ranges from {{min}} to {{max}}: “{{text}}” is not valid', {
    part: t(title),
    min,
    max,
    text: parts[at] ?? '',
  })
}

export const isCron = (text: string) => cronFault(text) === undefined

const isPart = (text: string, range: CronRange) => text.split(',').every((one) => isEntry(one, range))

function isEntry(entry: string, range: CronRange): boolean {
  const found = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(entry)
  if (!found) return false
  const [, from, to, step] = found
  // A step counts from the whole range or a part of it, never from one value.
  if (step !== undefined && (Number(step) < 1 || (from !== undefined && to === undefined))) return false
  const reached = range.max === 7 ? { ...range, min: 0 } : range
  return within(reached, from, to) && (from === undefined || to === undefined || Number(from) <= Number(to))
}

function within({ min, max }: CronRange, ...values: (string | undefined)[]): boolean {
  return values.every((value) => value === undefined || (Number(value) >= min && Number(value) <= max))
}
