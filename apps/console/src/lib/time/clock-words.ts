import { languageTag, t } from '../i18n.ts'

/** A Sunday, from which the days of the week are counted. */
const SUNDAY = Date.UTC(2023, 0, 1)
const DAY_MS = 86_400_000

/**
 * `minute hour day month weekday` as people would say it: every few minutes, every hour, day, week or
 * month at one time. What no short sentence tells stays as it was written.
 */
export function clockWords(crontab: string): string {
  const step = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(crontab)
  if (step) {
    const count = Number(step[1] ?? 1)
    return count === 1 ? t('Every minute') : t('Every {{count}} minutes', { count })
  }
  const [, minute, hour, day, weekday] = /^(\d+) (\*|\d+) (\*|\d+) \* (\*|\d)$/.exec(crontab) ?? []
  if (!minute || !hour || !day || !weekday) return crontab
  const anyDay = day === '*' && weekday === '*'
  if (hour === '*') return anyDay ? t('Every hour at minute {{minute}}', { minute }) : crontab
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (anyDay) return t('Every day at {{time}}', { time })
  if (day === '*') return t('Every {{weekday}} at {{time}}', { weekday: nameOf(Number(weekday)), time })
  return weekday === '*' ? t('On day {{day}} of every month at {{time}}', { day, time }) : crontab
}

const nameOf = (weekday: number) =>
  new Intl.DateTimeFormat(languageTag(), { weekday: 'long', timeZone: 'UTC' }).format(SUNDAY + weekday * DAY_MS)
