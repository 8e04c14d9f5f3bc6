import type { Say } from '../../kernel/i18n/translate.ts'
import type { CardTopic } from './cards/topic.ts'
import type { ChatName } from './chats/chat.ts'
import type { MessengerName } from './messengers/messenger.ts'

/**
 * A message in plain text; the link leads to a page of this site, as a path with a leading slash.
 */
export interface Content {
  subject: string
  paragraphs: readonly string[]
  link?: { text: string; path: string }
  /** The lines of a card, where a channel shows cards. */
  facts?: readonly Fact[]
  /** The subject of the card: once that is settled, the card says so. */
  about?: CardTopic
  /** Buttons of one reader in one channel of cards, besides the link. */
  buttonsFor?: (userId: string, channel: CardChannel) => Promise<readonly Button[]>
}

/** A line of a card. */
export interface Fact {
  label: string
  value: string
}

/** A button of a card. */
export interface Button {
  text: string
  /** A page of this site, with a leading slash. */
  path: string
  /** The value of the button, where the messenger itself says that it was pressed. */
  code?: string
  tone: 'good' | 'danger'
}

/** Channels that show cards with buttons. */
export type CardChannel = MessengerName | ChatName

/** A message in its reader's language; called once for each language. */
export type ContentIn = (say: Say) => Content
