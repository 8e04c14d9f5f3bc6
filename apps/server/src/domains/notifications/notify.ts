import { sql } from 'drizzle-orm'
import { standardLanguage } from '../../kernel/i18n/language-of.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { type Addresses, defaultChannels, isReachable, isSending } from './channels.ts'
import { CHAT_NAMES, type ChatName } from './chats/chat.ts'
import { hasRoom, sendByChat, sendToRoom } from './chats/chat-queue.ts'
import type { CardChannel, Content, ContentIn } from './content.ts'
import type { Channel, SystemKind } from './kinds.ts'
import { sendMail } from './mail.ts'
import { escapeHtml } from './mail-layout.ts'
import { sendByMessenger } from './messengers/message-queue.ts'
import { MESSENGER_NAMES, type Words } from './messengers/messenger.ts'
import { storeSiteMessage } from './site-message.resource.ts'
import { receiversOf } from './system-subscription.ts'
import { tellWebhooksOfAlarm } from './webhooks/tell.ts'

/**
 * Sends a message to people: an entry in their inbox and a message by each channel that they chose
 * (docs/rules/notifications.md#sending). People who are gone or disabled, and
 * components, are left out. Never throws: a failure is logged, and no reason for the change that is
 * reported to fail.
 */
export async function notify(kernel: Kernel, userIds: readonly string[], contentIn: ContentIn): Promise<void> {
  await send(kernel, userIds, contentIn, (person) => person.receive_backends ?? defaultChannels(kernel, person))
}

/**
 * Sends a message to the subscribers of a kind of system message, by the channels of that kind, and to
 * webhooks. `orgId`: the organization that it is about, where it is about one.
 */
export async function notifySubscribers(
  kernel: Kernel,
  kind: SystemKind,
  contentIn: ContentIn,
  orgId?: string,
): Promise<void> {
  await tellWebhooksOfAlarm(kernel, kind, contentIn, orgId).catch((error) =>
    kernel.app.log.error({ err: error }, 'webhooks could not be told of an alarm'),
  )
  const { user_ids, receive_backends } = await receiversOf(kernel, kind)
  const rooms = CHAT_NAMES.filter((name) => receive_backends.includes(name) && hasRoom(kernel, name))
  await tellRooms(kernel, rooms, contentIn)
  const others = receive_backends.filter((channel) => !rooms.some((name) => name === channel))
  await send(kernel, user_ids, contentIn, () => others)
}

/** Once, in the language of the installation. Never throws, as `notify`. */
async function tellRooms(kernel: Kernel, rooms: readonly ChatName[], contentIn: ContentIn): Promise<void> {
  try {
    const content = contentIn((english, values) => translate(standardLanguage(kernel.app), english, values))
    for (const name of rooms) await sendToRoom(kernel, name, wordsOf(kernel, content))
  } catch (error) {
    kernel.app.log.error({ err: error }, 'a message could not be sent')
  }
}

/** A message with the address of its page in full. */
function wordsOf(kernel: Kernel, { subject, paragraphs, link }: Content): Words {
  const site = settingsOf(kernel).get('SITE_URL')
  return { subject, paragraphs, ...(link ? { link: { text: link.text, url: `${site}${link.path}` } } : {}) }
}

interface Reader extends Addresses {
  id: string
  /** Their own, else the installation's. */
  language: Language
  receive_backends: Channel[] | null
}

/** People for one SQL statement. */
const BATCH = 1000

async function send(
  kernel: Kernel,
  userIds: readonly string[],
  contentIn: ContentIn,
  channelsOf: (person: Reader) => readonly Channel[],
): Promise<void> {
  const ids = [...new Set(userIds)]
  try {
    for (let from = 0; from < ids.length; from += BATCH) {
      const { rows } = await kernel.db.execute<Reader & Record<string, unknown>>(sql`
        SELECT u.id, u.email, u.wecom_id, u.dingtalk_id, u.feishu_id, s.receive_backends,
          coalesce(u.language, ${standardLanguage(kernel.app)}) AS language
        FROM users_person u LEFT JOIN notifications_user_subscription s ON s.user_id = u.id
        WHERE u.id = ANY(${sql.param(ids.slice(from, from + BATCH))}::uuid[]) AND u.is_active`)
      for (const [language, readers] of Map.groupBy(rows, (row) => row.language))
        await sendIn(kernel, language, readers, contentIn, channelsOf)
    }
  } catch (error) {
    kernel.app.log.error({ err: error }, 'a message could not be sent')
  }
}

async function sendIn(
  kernel: Kernel,
  language: Language,
  readers: readonly Reader[],
  contentIn: ContentIn,
  channelsOf: (person: Reader) => readonly Channel[],
): Promise<void> {
  const content = contentIn((english, values) => translate(language, english, values))
  const { subject, paragraphs, link } = content
  await storeSiteMessage(kernel, { subject, message: htmlOf(paragraphs, link) }, { ids: readers.map(({ id }) => id) })
  const words = wordsOf(kernel, content)
  const spokenWords = { ...words, ...(content.about ? { about: { ...content.about, language } } : {}) }
  const by = (channel: Channel) =>
    readers.filter((person) => channelsOf(person).includes(channel) && isReachable(person, channel))
  for (const { email } of by('email')) await sendMail(kernel, { to: email, ...words })
  for (const name of MESSENGER_NAMES)
    await sendCards(kernel, name, content, by(name), spokenWords, (people, card) =>
      sendByMessenger(
        kernel,
        name,
        people.map((person) => person[`${name}_id`] ?? ''),
        card,
      ),
    )
  for (const name of CHAT_NAMES)
    await sendCards(kernel, name, content, by(name), spokenWords, (people, card) =>
      sendByChat(
        kernel,
        name,
        people.map(({ email }) => email),
        card,
      ),
    )
}

/** The same to all at once, or to each a card with buttons of their own. */
async function sendCards(
  kernel: Kernel,
  channel: CardChannel,
  { facts, buttonsFor }: Content,
  readers: readonly Reader[],
  words: Words,
  send: (readers: readonly Reader[], words: Words) => Promise<void>,
): Promise<void> {
  const card = { ...words, ...(facts ? { facts } : {}) }
  if (!buttonsFor || !isSending(kernel, channel)) return send(readers, card)
  const site = settingsOf(kernel).get('SITE_URL')
  for (const reader of readers) {
    const buttons = (await buttonsFor(reader.id, channel)).map(({ path, ...button }) => ({
      ...button,
      url: `${site}${path}`,
    }))
    await send([reader], { ...card, buttons })
  }
}

function htmlOf(paragraphs: Content['paragraphs'], link: Content['link']): string {
  const texts = paragraphs.map((words) => `<p>${escapeHtml(words).replaceAll('\n', '<br>')}</p>`)
  return [...texts, ...(link ? [`<p><a href="${escapeHtml(link.path)}">${escapeHtml(link.text)}</a></p>`] : [])].join(
    '',
  )
}
