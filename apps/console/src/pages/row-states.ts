/** How it stands with rows of several domains, in a word or two. */
import type { RowState } from '../generic/view/detail-view.ts'
import { endOf, formatDate, parseDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'

/** Whether a row is switched on. */
export function activeState({ is_active }: { is_active: boolean }): RowState {
  return is_active ? { tone: 'good', words: t('Active@@state') } : { tone: 'quiet', words: t('Disabled@@state') }
}

/** How it stands with a run of a task or plan. */
export function runState({ isOver, isGood }: { isOver: boolean; isGood: boolean }): RowState {
  if (!isOver) return { tone: 'info', words: t('Running') }
  return isGood ? { tone: 'good', words: t('Succeeded') } : { tone: 'danger', words: t('Failed') }
}

/** How it stands with what is switched on or off and may end: what has ended isn't active, too. */
export function lifeStates(row: { is_active: boolean; date_start?: unknown; date_expired?: unknown }): RowState[] {
  const [active, validity] = [activeState(row), validityState(row)]
  if (!validity) return [active]
  return validity.tone === 'danger' && row.is_active ? [validity] : [active, validity]
}

/** Until when, or since when, something counts; undefined for what has no end. */
export function validityState(
  { date_start, date_expired }: { date_start?: unknown; date_expired?: unknown },
  now = Date.now(),
): RowState | undefined {
  const begin = parseDate(date_start)
  if (begin && begin.getTime() > now)
    return { tone: 'warning', words: t('Valid from {{date}}', { date: formatDate(date_start, 'short') }) }
  const [end, date] = [parseDate(date_expired), endOf(date_expired, now)]
  if (!end || !date) return undefined
  return end.getTime() <= now
    ? { tone: 'danger', words: t('Expired on {{date}}', { date }) }
    : { tone: 'info', words: t('Valid until {{date}}', { date }) }
}

/** The roles of a person as they are answered, `Organization auditor | User`, in words. */
export const roleWords = (value: unknown): string => String(value ?? '').replaceAll(' | ', ', ')
