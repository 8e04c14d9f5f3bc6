import type { Kernel } from '../../kernel/kernel.ts'
import { extendPublicSettings } from '../settings/index.ts'
import { registerChannels } from './channels.ts'
import { canSendMail, registerMailWork } from './mail.ts'
import { registerMailTesting } from './mail-testing.ts'
import { registerMessengerWork } from './messengers/message-queue.ts'
import { registerMessengerTesting } from './messengers/testing.ts'
import { scheduleRetention } from './retention.ts'
import { registerSystemSubscriptions } from './system-subscription.ts'
import { registerUnreadSocket } from './unread-socket.ts'
import { registerUserSubscriptions } from './user-subscription.ts'

export { beginAlarm, endAlarms } from './alarm.ts'
export { canSendMail, sendMail, siteName } from './mail.ts'
export { escapeHtml } from './mail-layout.ts'
export { openApi } from './messengers/api.ts'
export { type Messenger, MessengerError, type MessengerName } from './messengers/messenger.ts'
export { appOf, messengers } from './messengers/messengers.ts'
export { type Content, type ContentIn, notify, notifySubscribers } from './notify.ts'
export { channelsOf } from './user-subscription.ts'

/** Messages to people. */
export function registerNotifications(kernel: Kernel): void {
  registerMailWork(kernel)
  registerMailTesting(kernel)
  registerMessengerWork(kernel)
  registerMessengerTesting(kernel)
  registerChannels(kernel)
  scheduleRetention(kernel)
  registerSystemSubscriptions(kernel)
  registerUserSubscriptions(kernel)
  registerUnreadSocket(kernel)
  extendPublicSettings(kernel, () => ({ CAN_SEND_MAIL: canSendMail(kernel) }))
}
