import { invalid } from '../../../kernel/errors/app-error.ts'

const LENGTH = { min: 2, max: 100 } as const

/** The text to search recordings for. Throws 400 with a message by field. */
export function wantedText(q: unknown): string {
  if (typeof q === 'string' && q.trim().length >= LENGTH.min && q.length <= LENGTH.max) return q
  throw invalid({ q: 'Give 2 to 100 characters.' })
}
