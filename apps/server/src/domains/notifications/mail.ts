import type { Kernel } from '../../kernel/kernel.ts'
import { type SealedInJson, sealedBytes, sealInJson } from '../../kernel/secrets/sealed-json.ts'
import { settingsOf } from '../settings/index.ts'
import { layOut, type MailContent } from './mail-layout.ts'
import { deliver, isFinal, isMailOn, type RenderedMail } from './mail-transport.ts'

const SEND = 'notifications.send_mail'
/**
 * Tried again after a quarter of a minute, then after twice the pause each time; the last try comes
 * after about an hour.
 */
const RETRIES = 8
const RETRY_DELAY_SECONDS = 15
const SENDERS = 2
const SEND_LIMIT_SECONDS = 120

/** Whether mails can be sent now. */
export function canSendMail(kernel: Kernel): boolean {
  return isMailOn(settingsOf(kernel).all())
}

/**
 * Queues a mail, signed with the site's name: it is sent in the background, with retries while the
 * server refuses. False when no mail server is set up. It waits sealed, since links in it may sign
 * somebody in.
 */
export async function sendMail(
  kernel: Kernel,
  content: Omit<MailContent, 'signature'> & { signature?: string },
): Promise<boolean> {
  if (!canSendMail(kernel)) return false
  const mail = layOut({ signature: siteName(kernel), ...content })
  await kernel.jobs.send(SEND, sealInJson(kernel.secrets, JSON.stringify(mail)))
  return true
}

/** The name of this site. */
export const siteName = (kernel: Kernel): string => settingsOf(kernel).get('LOGIN_TITLE') || 'Sallyport'

export function registerMailWork(kernel: Kernel): void {
  kernel.jobs.work<SealedInJson>(
    SEND,
    async (sealed) => {
      // Mail was switched off since: what waits is dropped, not kept for a server of some later
      // day.
      if (!canSendMail(kernel)) return
      const mail = JSON.parse(kernel.secrets.open('message', 'mail')(sealedBytes(sealed))) as RenderedMail
      try {
        await deliver(settingsOf(kernel).all(), mail)
      } catch (error) {
        kernel.app.log.warn(
          { reason: (error as Error).message, final: isFinal(error) },
          'a mail was not taken by the mail server',
        )
        if (!isFinal(error)) throw error
      }
    },
    {
      retries: RETRIES,
      retryDelaySeconds: RETRY_DELAY_SECONDS,
      concurrency: SENDERS,
      expireSeconds: SEND_LIMIT_SECONDS,
    },
  )
}
