import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { planRowTimes, type RowSchedule, type WrittenTimes } from '../../kernel/jobs/row-schedules.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'

/** A rule: times that can be kept, and are planned again where they change (A5.09). */
export const planTimes = ({ draft, row }: { draft: WrittenTimes; row: RowSchedule | undefined }): void =>
  planRowTimes(draft, row, true)

/** When a row runs, in words (docs/rules/accounts.md#periodic_fields). */
export function timesInWords({ is_periodic, crontab, interval }: RowSchedule, language: Language): string {
  if (is_periodic && crontab) return translate(language, 'Regularly perform ( {{crontab}} )', { crontab })
  if (is_periodic && interval) return translate(language, 'Cycle perform ( {{hours}} h )', { hours: interval })
  return '-'
}

/** The same for each row that is answered. */
export const periodicDisplay = {
  fields: ['periodic_display'],
  load: async (rows: readonly RowSchedule[], { call }: ReadContext) =>
    rows.map((row) => ({ periodic_display: timesInWords(row, call.language) })),
} as const
