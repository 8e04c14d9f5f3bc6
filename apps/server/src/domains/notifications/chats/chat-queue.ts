import type { Kernel } from '../../../kernel/kernel.ts'
import { type SealedInJson, sealedBytes, sealInJson } from '../../../kernel/secrets/sealed-json.ts'
import { settingsOf } from '../../settings/index.ts'
import { rememberCard } from '../cards/sent-cards.ts'
import type { Words } from '../messengers/messenger.ts'
import { type Chat, ChatError, type ChatName } from './chat.ts'
import { CHATS, chats } from './chats.ts'

/** As for mail: again after a quarter of a minute, then after twice the pause each time. */
const RETRIES = 8
const RETRY_DELAY_SECONDS = 15
const SEND_LIMIT_SECONDS = 60

/** One queue each: a service that does not answer delays nobody else's messages. */
const queueOf = ({ name }: Chat) => `notifications.send_by_${name}`

interface Message {
  /** The person's mail; absent for the room. */
  mail?: string
  words: Words
}

/** Whether messages of some kind go by this channel now. */
export const isChatOn = (kernel: Kernel, name: ChatName): boolean =>
  hasRoom(kernel, name) || reachesPeople(kernel, name)

/** Whether messages to people go by this channel now. */
export const reachesPeople = (kernel: Kernel, name: ChatName): boolean =>
  CHATS[name].reachesPeople(settingsOf(kernel).all())

/** Whether system messages of this channel go to one room instead of each recipient. */
export const hasRoom = (kernel: Kernel, name: ChatName): boolean => CHATS[name].hasRoom(settingsOf(kernel).all())

/** Queues a message to people by their mails. It waits sealed, as mails do. */
export async function sendByChat(
  kernel: Kernel,
  name: ChatName,
  mails: readonly string[],
  words: Words,
): Promise<void> {
  if (!reachesPeople(kernel, name)) return
  for (const mail of mails) await queue(kernel, CHATS[name], { mail, words })
}

/** Queues a message to the room. */
export const sendToRoom = (kernel: Kernel, name: ChatName, words: Words): Promise<void> =>
  queue(kernel, CHATS[name], { words })

async function queue(kernel: Kernel, chat: Chat, message: Message): Promise<void> {
  await kernel.jobs.send(queueOf(chat), sealInJson(kernel.secrets, JSON.stringify(message)))
}

export function registerChatWork(kernel: Kernel): void {
  for (const chat of chats)
    kernel.jobs.work<SealedInJson>(queueOf(chat), (sealed) => deliver(kernel, chat, sealed), {
      retries: RETRIES,
      retryDelaySeconds: RETRY_DELAY_SECONDS,
      expireSeconds: SEND_LIMIT_SECONDS,
    })
}

async function deliver(kernel: Kernel, chat: Chat, sealed: SealedInJson): Promise<void> {
  const settings = settingsOf(kernel).all()
  const { mail, words } = JSON.parse(kernel.secrets.open('message', chat.name)(sealedBytes(sealed))) as Message
  // It was switched off since.
  if (!(mail === undefined ? chat.hasRoom(settings) : chat.reachesPeople(settings))) return
  let place: string | undefined
  try {
    if (mail === undefined) return await chat.sendToRoom(settings, words)
    place = await chat.sendToPerson(settings, mail, words)
  } catch (error) {
    const isTemporary = !(error instanceof ChatError) || error.isTemporary
    kernel.app.log.warn(
      { chat: chat.name, reason: (error as Error).message, final: !isTemporary },
      'a message was not taken',
    )
    if (isTemporary) throw error
  }
  if (place && words.about) await rememberCard(kernel, { ...words.about, channel: chat.name, place })
}
