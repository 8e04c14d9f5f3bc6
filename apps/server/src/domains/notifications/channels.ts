import { invalid } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { isChatOn, reachesPeople } from './chats/chat-queue.ts'
import type { CardChannel } from './content.ts'
import { CHANNELS, type Channel } from './kinds.ts'
import { canSendMail } from './mail.ts'
import { isMessengerOn } from './messengers/message-queue.ts'

/** Whether messages can be sent by this channel now (docs/rules/notifications.md#channels). */
function isChannelOn(kernel: Kernel, channel: Channel): boolean {
  if (channel === 'site_msg') return true
  if (channel === 'email') return canSendMail(kernel)
  return channel === 'slack' || channel === 'teams' ? isChatOn(kernel, channel) : isMessengerOn(kernel, channel)
}

/** Whether messages to people go by a messenger now. */
export const isSending = (kernel: Kernel, channel: CardChannel): boolean =>
  channel === 'slack' || channel === 'teams' ? reachesPeople(kernel, channel) : isMessengerOn(kernel, channel)

/** The addresses of a person for the channels. */
export interface Addresses {
  email: string
  wecom_id: string | null
  dingtalk_id: string | null
  feishu_id: string | null
}

/** Whether the channel has an address of this person. */
export function isReachable(person: Addresses, channel: Channel): boolean {
  switch (channel) {
    case 'site_msg':
      return true
    // The services know people by their mail.
    case 'slack':
    case 'teams':
    case 'email':
      // Service identities read no mail: nobody has an address below .invalid (RFC 2606).
      return person.email.includes('@') && !person.email.endsWith('@service.invalid')
    default:
      return Boolean(person[`${channel}_id`])
  }
}

/** Channels of somebody who has chosen none. Slack and Teams are among them while they write to people. */
export function defaultChannels(kernel: Kernel, person: Addresses): Channel[] {
  return channelNames.filter(
    (channel) =>
      isReachable(person, channel) &&
      (channel === 'slack' || channel === 'teams' ? reachesPeople(kernel, channel) : true),
  )
}

export const channelNames = Object.keys(CHANNELS) as Channel[]

/** A list of channel names, each once. Throws 400 on `receive_backends` for anything else. */
export function readChannels(value: unknown, language: Language): Channel[] {
  if (!Array.isArray(value))
    throw invalid({ receive_backends: translate(language, 'Expected a list of channel names.') })
  const unknown = value.find((name) => !channelNames.includes(name as Channel))
  if (unknown !== undefined)
    throw invalid({
      receive_backends: translate(language, '"{{value}}" is not a valid choice.', {
        value: String(unknown).slice(0, 64),
      }),
    })
  return channelNames.filter((name) => value.includes(name))
}

/**
 * GET /api/v1/notifications/backends/: the channels that are on
 * (docs/rules/notifications.md#notification_backend).
 */
export function registerChannels(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/notifications/backends/',
    config: {
      access: ['super_admin'],
      summary: 'Channels that messages can go by',
      rows: { fields: plainFields({ name: 'string', name_display: 'string' }) },
      answers: 'rows',
    },
    handler: async ({ call }) =>
      channelNames
        .filter((name) => isChannelOn(kernel, name))
        .map((name) => ({ name, name_display: translate(call.language, CHANNELS[name]) })),
  })
}
