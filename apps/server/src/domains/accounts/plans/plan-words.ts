import { PASSWORD_STRATEGIES } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { timesInWords } from '../periodic.ts'
import type { accountsChangePlan } from '../tables.ts'

/** What plans of both families say of themselves in words. */
export const planInWords = {
  fields: ['password_strategy_display', 'periodic_display'],
  load: async (rows: readonly StoredRow<typeof accountsChangePlan>[], { call }: ReadContext) =>
    rows.map((row) => ({
      password_strategy_display: translate(call.language, PASSWORD_STRATEGIES[row.password_strategy]),
      periodic_display: timesInWords(row, call.language),
    })),
} as const
