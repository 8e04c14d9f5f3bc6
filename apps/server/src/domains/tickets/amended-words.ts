import { ACTION_CHOICES } from '@sallyport/contract/actions.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { ticketsTicket } from './tables.ts'

/** One field of a request before and after, as the comment keeps it; lists by their names. */
export interface Amended {
  field: string
  before: unknown
  after: unknown
}

/** The request as its approvers have amended it, else as it was opened. */
export const askedNow = ({
  meta,
  amended,
}: Pick<typeof ticketsTicket.$inferSelect, 'meta' | 'amended'>): Record<string, unknown> => amended ?? meta

/** A value as the operate log has it. */
export const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

/** The changes that a comment keeps, a line each, in the reader's language. */
export function amendmentInWords(body: string, language: Language): string {
  const labels: Fields = { ...TICKET_META.apply_asset, ...TICKET_META.apply_application }
  return (JSON.parse(body) as Amended[])
    .map(({ field, before, after }) => {
      const say = (value: unknown) =>
        field === 'apply_actions'
          ? (value as string[])
              .map((name) => translate(language, ACTION_CHOICES[name as keyof typeof ACTION_CHOICES] ?? name))
              .join(', ')
          : words(value)
      return `${translate(language, labels[field]?.label ?? field)}: ${say(before) || '-'} → ${say(after) || '-'}`
    })
    .join('\n')
}
