import { sql } from 'drizzle-orm'
import { standardLanguage } from '../../kernel/i18n/language-of.ts'
import { type Language, type Say, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { type Addresses, defaultChannels, isReachable } from './channels.ts'
import type { Channel, SystemKind } from './kinds.ts'
import { sendMail } from './mail.ts'
import { escapeHtml } from './mail-layout.ts'
import { sendByMessenger } from './messengers/message-queue.ts'
import { MESSENGER_NAMES } from './messengers/messenger.ts'
import { storeSiteMessage } from './site-message.resource.ts'
import { receiversOf } from './system-subscription.ts'

/**
 * A message in plain text; the link leads to a page of this site, as a path with a leading slash.
 */
export interface Content {
  subject: string
  paragraphs: readonly string[]
  link?: { text: string; path: string }
}

/** A message in its reader's language; called once for each language. */
export type ContentIn = (say: Say) => Content

/**
 * Sends a message to people: an entry in their inbox and a message by each channel that they chose
 * (docs/rules/notifications.md#sending). People who are gone or disabled, and
 * components, are left out. Never throws: a failure is logged, and no reason for the change that is
 * reported to fail.
 */
export async function notify(kernel: Kernel, userIds: readonly string[], contentIn: ContentIn): Promise<void> {
  await send(kernel, userIds, contentIn, (person) => person.receive_backends ?? defaultChannels(person))
}

/** Sends a message to the subscribers of a kind of system message, by the channels of that kind. */
export async function notifySubscribers(kernel: Kernel, kind: SystemKind, contentIn: ContentIn): Promise<void> {
  const { user_ids, receive_backends } = await receiversOf(kernel, kind)
  await send(kernel, user_ids, contentIn, () => receive_backends)
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
  const { subject, paragraphs, link } = contentIn((english, values) => translate(language, english, values))
  await storeSiteMessage(kernel, { subject, message: htmlOf(paragraphs, link) }, { ids: readers.map(({ id }) => id) })
  const site = settingsOf(kernel).get('SITE_URL').replace(/\/$/, '')
  const words = { subject, paragraphs, ...(link ? { link: { text: link.text, url: `${site}${link.path}` } } : {}) }
  const by = (channel: Channel) =>
    readers.filter((person) => channelsOf(person).includes(channel) && isReachable(person, channel))
  for (const { email } of by('email')) await sendMail(kernel, { to: email, ...words })
  for (const name of MESSENGER_NAMES) {
    const ids = by(name).map((person) => person[`${name}_id`] ?? '')
    await sendByMessenger(kernel, name, ids, words)
  }
}

function htmlOf(paragraphs: Content['paragraphs'], link: Content['link']): string {
  const texts = paragraphs.map((words) => `<p>${escapeHtml(words).replaceAll('\n', '<br>')}</p>`)
  return [...texts, ...(link ? [`<p><a href="${escapeHtml(link.path)}">${escapeHtml(link.text)}</a></p>`] : [])].join(
    '',
  )
}
