import { type Language, translate } from '../../../kernel/i18n/translate.ts'

/** Reasons of our own, as they are stored. */
export const SWITCHED_OFF = 'the webhook is switched off'
export const NO_SECRET = 'there is no secret to sign with'
export const NO_ANSWER = 'no answer'

/** What came of sending a message. */
export interface Outcome {
  /** The HTTP status; null or undefined without an answer. */
  status?: number | null
  /** Why it was not taken, in English; empty where it was. */
  error: string
}

/** Why a message was not taken, in a person's language; what a network or Node says stays as it is. */
export function whyNotTaken(language: Language, { status, error }: Outcome): string {
  if (!error) return ''
  if (status)
    return status >= 300 && status < 400
      ? translate(language, 'the receiver answered {{status}}, and redirects are not followed', { status })
      : translate(language, 'the receiver answered {{status}}', { status })
  if (error === SWITCHED_OFF) return translate(language, 'the webhook is switched off')
  if (error === NO_SECRET) return translate(language, 'there is no secret to sign with')
  if (error === NO_ANSWER) return translate(language, 'no answer')
  return error
}
