import type { Kernel } from '../../kernel/kernel.ts'
import { extendPublicSettings } from '../settings/index.ts'
import { registerCardChanges } from './card-changes.ts'
import { registerChannels } from './channels.ts'
import { registerChatWork } from './chats/chat-queue.ts'
import { registerChatTesting } from './chats/testing.ts'
import { canSendMail, registerMailWork } from './mail.ts'
import { registerMailTesting } from './mail-testing.ts'
import { registerMessengerWork } from './messengers/message-queue.ts'
import { registerMessengerTesting } from './messengers/testing.ts'
import { scheduleRetention } from './retention.ts'
import { registerSystemSubscriptions } from './system-subscription.ts'
import { registerUnreadSocket } from './unread-socket.ts'
import { registerUserSubscriptions } from './user-subscription.ts'
import { registerWebhooks } from './webhooks/register.ts'

export { beginAlarm, endAlarms } from './alarm.ts'
export { cardStates, changeCards } from './cards/sent-cards.ts'
export { answerInSlack } from './chats/slack.ts'
export type { Button, CardChannel, Content, ContentIn, Fact } from './content.ts'
export { canSendMail, sendMail, siteName } from './mail.ts'
export { escapeHtml } from './mail-layout.ts'
export { openApi } from './messengers/api.ts'
export { departmentsOf } from './messengers/departments.ts'
export { type Messenger, MessengerError, type MessengerName } from './messengers/messenger.ts'
export { appOf, messengers } from './messengers/messengers.ts'
export { notify, notifySubscribers } from './notify.ts'
export { CHANNELS_TABLE, channelsOf } from './user-subscription.ts'
export { type PastDelivery, storePastDeliveries } from './webhooks/past.ts'

/** Messages to people. */
export function registerNotifications(kernel: Kernel): void {
  registerMailWork(kernel)
  registerMailTesting(kernel)
  registerMessengerWork(kernel)
  registerMessengerTesting(kernel)
  registerChatWork(kernel)
  registerChatTesting(kernel)
  registerCardChanges(kernel)
  registerChannels(kernel)
  scheduleRetention(kernel)
  registerSystemSubscriptions(kernel)
  registerUserSubscriptions(kernel)
  registerUnreadSocket(kernel)
  registerWebhooks(kernel)
  extendPublicSettings(kernel, () => ({ CAN_SEND_MAIL: canSendMail(kernel) }))
}
