import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { checkRowSchedule, type RowSchedule } from '../../kernel/jobs/row-schedules.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'

interface Timed {
  is_periodic?: boolean | undefined
  crontab?: string | null | undefined
  interval?: number | null | undefined
  date_next_run?: Date | null | undefined
}

/** A rule: times that can be kept, and are planned again where they change (A5.09). */
export function planTimes({ draft, row }: { draft: Timed; row: RowSchedule | undefined }): void {
  if (draft.crontab !== undefined) draft.crontab = draft.crontab?.trim() || null
  const { is_periodic, crontab, interval } = {
    is_periodic: true,
    crontab: null,
    interval: null,
    ...row,
    ...sent(draft),
  }
  checkRowSchedule({ is_periodic, crontab, interval })
  if (!row || Object.keys(sent(draft)).length) draft.date_next_run = null
}

function sent({ is_periodic, crontab, interval }: Timed): Partial<RowSchedule> {
  return {
    ...(is_periodic === undefined ? {} : { is_periodic }),
    ...(crontab === undefined ? {} : { crontab }),
    ...(interval === undefined ? {} : { interval }),
  }
}

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
