import type { Language, Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import { notificationsSentCard } from '../tables.ts'
import type { CardTopic } from './topic.ts'

/** The job that changes all cards of a topic. */
export const CHANGE_CARDS = 'notifications.change_cards'

/** The words of a card that is over; the link is a path of this site. */
export interface SettledWords {
  subject: string
  paragraphs: readonly string[]
  link?: { text: string; path: string }
}

/** The state of what cards are about. */
interface CardStates {
  /** The words of a card once its part is settled; undefined while it is open. */
  settled(kernel: Kernel, topic: CardTopic, say: Say): Promise<SettledWords | undefined>
}
/** Provided by the domain of tickets, a later one. */
export const cardStates = new Provided<CardStates>('the state of what cards are about', {
  settled: async () => undefined,
})

/** A card that a messenger has taken. */
export interface SentCard extends CardTopic {
  /** The name of the messenger. */
  channel: string
  language: Language
  /** How the messenger names the message. */
  place: string
}

/**
 * Remembers a card; one about what was settled on its way is changed at once. Never throws: a card
 * that was sent must not be sent once more.
 */
export async function rememberCard(kernel: Kernel, card: SentCard): Promise<void> {
  try {
    await kernel.db.insert(notificationsSentCard).values(card)
    if (await cardStates.value.settled(kernel, card, (english) => english)) await changeCards(kernel, card.topic)
  } catch (error) {
    kernel.app.log.error({ err: error }, 'a card could not be remembered')
  }
}

/** Has all cards about this say how it was settled; those of parts that are open stay. */
export async function changeCards(kernel: Kernel, topic: string): Promise<void> {
  await kernel.jobs.send(CHANGE_CARDS, { topic })
}
