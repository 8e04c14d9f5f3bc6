import type { EndReason } from '../../domains/terminal/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'

/** Subject of a notice, for programs. */
export type NoticeCode =
  | EndReason
  | 'not_allowed'
  | 'locked'
  | 'unlocked'
  | 'joined'
  | 'parted'
  | 'unrecorded'
  | 'unjudged'
  | 'held'
  | 'withdrawn'
  | 'unprepared'
  | 'control'
  | 'typed'

/**
 * `calm` may be left out where it would disturb; `urgent` may not; after `last` nothing follows.
 */
export type Urgency = 'calm' | 'urgent' | 'last'

/**
 * Something that a session tells. It says what, never how: each kind tells it in its protocol's own
 * way, as a colored line, an error or an overlay. `text` is English and its own translation key.
 */
export interface Notice {
  code: NoticeCode
  text: string
  values: Readonly<Record<string, unknown>>
  urgency: Urgency
}

export function notice(
  code: NoticeCode,
  text: string,
  values: Notice['values'] = {},
  urgency: Urgency = 'calm',
): Notice {
  return { code, text, values, urgency }
}

/** In the person's language. */
export function wordsOf({ text, values }: Notice, language: Language): string {
  return translate(language, text, { ...values })
}
