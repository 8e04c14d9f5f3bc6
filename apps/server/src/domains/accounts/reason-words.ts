import { translate } from '../../kernel/i18n/translate.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'

/** Why a run did not end well, in the reader's language. */
export const reasonInWords = {
  fields: ['reason'],
  load: async (rows: readonly { reason: string }[], { call }: ReadContext) =>
    rows.map(({ reason }) => ({ reason: reason && translate(call.language, reason) })),
} as const
