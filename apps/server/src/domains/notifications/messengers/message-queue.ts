import type { Kernel } from '../../../kernel/kernel.ts'
import { type SealedInJson, sealedBytes, sealInJson } from '../../../kernel/secrets/sealed-json.ts'
import { settingsOf } from '../../settings/index.ts'
import { rememberCard } from '../cards/sent-cards.ts'
import { openApi } from './api.ts'
import { type Messenger, MessengerError, type MessengerName, type Words } from './messenger.ts'
import { appOf, MESSENGERS, messengers } from './messengers.ts'

/** As for mail: again after a quarter of a minute, then after twice the pause each time. */
const RETRIES = 8
const RETRY_DELAY_SECONDS = 15
const SEND_LIMIT_SECONDS = 120

/** One queue each: a messenger that does not answer delays nobody else's messages. */
const queueOf = ({ name }: Messenger) => `notifications.send_by_${name}`

export const isMessengerOn = (kernel: Kernel, name: MessengerName): boolean =>
  settingsOf(kernel).get(MESSENGERS[name].settings.isOn) === true

/** Queues a message to people, by their ids at the messenger. It waits sealed, as mails do. */
export async function sendByMessenger(
  kernel: Kernel,
  name: MessengerName,
  ids: readonly string[],
  words: Words,
): Promise<void> {
  if (!isMessengerOn(kernel, name)) return
  const messenger = MESSENGERS[name]
  for (let from = 0; from < ids.length; from += messenger.receiversAtOnce) {
    const message: Message = { ids: ids.slice(from, from + messenger.receiversAtOnce), words }
    await kernel.jobs.send(queueOf(messenger), sealInJson(kernel.secrets, JSON.stringify(message)))
  }
}

interface Message {
  ids: string[]
  words: Words
}

export function registerMessengerWork(kernel: Kernel): void {
  for (const messenger of messengers)
    kernel.jobs.work<SealedInJson>(queueOf(messenger), (sealed) => deliver(kernel, messenger, sealed), {
      retries: RETRIES,
      retryDelaySeconds: RETRY_DELAY_SECONDS,
      expireSeconds: SEND_LIMIT_SECONDS,
    })
}

async function deliver(kernel: Kernel, messenger: Messenger, sealed: SealedInJson): Promise<void> {
  // The messenger was switched off since.
  if (!isMessengerOn(kernel, messenger.name)) return
  const { ids, words } = JSON.parse(kernel.secrets.open('message', messenger.name)(sealedBytes(sealed))) as Message
  let place: string | undefined
  try {
    place = await messenger.send(openApi(messenger, appOf(messenger, settingsOf(kernel).all())), ids, words)
  } catch (error) {
    const isTemporary = !(error instanceof MessengerError) || error.isTemporary
    kernel.app.log.warn(
      { messenger: messenger.name, reason: (error as Error).message, final: !isTemporary },
      'a message was not taken',
    )
    if (isTemporary) throw error
  }
  if (place && words.about) await rememberCard(kernel, { ...words.about, channel: messenger.name, place })
}
