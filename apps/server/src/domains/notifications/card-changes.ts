import { eq } from 'drizzle-orm'
import { type Say, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { CHANGE_CARDS, cardStates, type SentCard } from './cards/sent-cards.ts'
import { ChatError } from './chats/chat.ts'
import { changeSlackCard } from './chats/slack.ts'
import { openApi } from './messengers/api.ts'
import { changeFeishuCard } from './messengers/feishu.ts'
import { MessengerError, type Words } from './messengers/messenger.ts'
import { appOf, MESSENGERS } from './messengers/messengers.ts'
import { notificationsSentCard } from './tables.ts'

/** As for messages: again after a quarter of a minute, then after twice the pause each time. */
const RETRIES = 8
const RETRY_DELAY_SECONDS = 15
const LIMIT_SECONDS = 300

/** Cards about what somebody has settled elsewhere say so, where the messenger can change them. */
export function registerCardChanges(kernel: Kernel): void {
  kernel.jobs.work<{ topic: string }>(CHANGE_CARDS, ({ topic }) => changeAll(kernel, topic), {
    retries: RETRIES,
    retryDelaySeconds: RETRY_DELAY_SECONDS,
    expireSeconds: LIMIT_SECONDS,
  })
}

/** Each once: a card that was changed, or can't be, is forgotten. Throws where one may work later. */
async function changeAll(kernel: Kernel, topic: string): Promise<void> {
  const { id, topic: about } = notificationsSentCard
  const cards = await kernel.db.select().from(notificationsSentCard).where(eq(about, topic))
  let later: unknown
  for (const card of cards) {
    const say: Say = (english, values) => translate(card.language, english, values)
    const settled = await cardStates.value.settled(kernel, card, say)
    if (!settled) continue
    const { subject, paragraphs, link } = settled
    const site = settingsOf(kernel).get('SITE_URL')
    const words = { subject, paragraphs, ...(link ? { link: { text: link.text, url: `${site}${link.path}` } } : {}) }
    try {
      await change(kernel, card, words)
    } catch (error) {
      const known = error instanceof ChatError || error instanceof MessengerError
      kernel.app.log.warn({ channel: card.channel, reason: (error as Error).message }, 'a card could not be changed')
      if (!known || error.isTemporary) {
        later = error
        continue
      }
    }
    await kernel.db.delete(notificationsSentCard).where(eq(id, card.id))
  }
  if (later) throw later
}

/** Nothing where the channel was switched off since. */
async function change(kernel: Kernel, { channel, place }: SentCard, words: Words): Promise<void> {
  const settings = settingsOf(kernel).all()
  if (channel === 'slack' && settings.SLACK_ENABLED) await changeSlackCard(settings, place, words)
  if (channel === 'feishu' && settings.AUTH_FEISHU)
    await changeFeishuCard(openApi(MESSENGERS.feishu, appOf(MESSENGERS.feishu, settings)), place, words)
}
