/** The way to a messenger's QR code and back, shared by binding and signing in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomText } from '../../../../kernel/access/random-secret.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { appOf, type Messenger, MessengerError, openApi } from '../../../notifications/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { flash } from '../../flash-message.ts'
import { takeState } from '../../session-state.ts'
import type { QrCodeStart } from '../../tables.ts'

const STATE_LENGTH = 16
/** Long enough to read what happened and what to do. */
const MESSAGE_SECONDS = 10
/** Requests at a time to all messengers together: a slow one must not pile up sign-ins. */
const MAX_ASKING = 50
let asking = 0

export const TEXT = {
  off: '{{name}} is not enabled',
  misconfigured: 'The system configuration is incorrect, please tell an administrator',
  outsider: 'You do not belong to the company that uses {{name}} here',
  refused: '{{name}} did not say who you are. Start again, or tell an administrator.',
  unreachable: '{{name}} cannot be reached. Try again later, or tell an administrator.',
}

export const isOn = (kernel: Kernel, { settings }: Messenger): boolean => settingsOf(kernel).get(settings.isOn) === true

/** Leads over a page with a message; `{{name}}` is the messenger. */
export function tell(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  messenger: Messenger,
  text: string,
  to: string,
): Promise<FastifyReply> {
  const name = translate(request.call.language, messenger.title)
  return flash(kernel, reply, { title: messenger.title, text, values: { name }, seconds: MESSAGE_SECONDS, to })
}

export const newState = (): string => randomText(STATE_LENGTH)

/** The address where the QR code is shown. */
export function qrCodePage(kernel: Kernel, messenger: Messenger, state: string, callback: string): string {
  const settings = settingsOf(kernel).all()
  const site = settings.SITE_URL.replace(/\/+$/, '')
  return messenger.loginPage(appOf(messenger, settings), state, `${site}${callback}`).href
}

/**
 * The start of this browser, used up whether or not the answer matches. Undefined when there is
 * none, or one of another kind or person.
 */
export async function takeStart(
  kernel: Kernel,
  { call }: FastifyRequest,
  messenger: Messenger,
  purpose: QrCodeStart['purpose'],
): Promise<QrCodeStart | undefined> {
  if (!call.sessionId || (call.user && call.via !== 'session')) return undefined
  const started = await takeState<QrCodeStart>(kernel, call.sessionId, 'qr_code', {
    where: `user_id IS NOT DISTINCT FROM $3 AND (state #>> '{qr_code,ends}')::timestamptz > now()`,
    values: [call.user?.id ?? null],
  })
  return started?.messenger === messenger.name && started.purpose === purpose ? started : undefined
}

/** Whether an answer belongs to that start. */
export const fits = (request: FastifyRequest, { state }: QrCodeStart): boolean =>
  singleValues(request.query).state === state

/**
 * Exchanges the code of a callback for the person's id at the messenger. `text` says why there is
 * none.
 */
export async function scannedId(
  kernel: Kernel,
  request: FastifyRequest,
  messenger: Messenger,
): Promise<{ id: string } | { text: string }> {
  const { code } = singleValues(request.query)
  // Closing the page with the QR code sends the browser back without a code.
  if (!code || code.length > 512) return { text: TEXT.refused }
  if (asking >= MAX_ASKING) return { text: TEXT.unreachable }
  asking++
  try {
    const id = await messenger.idOf(openApi(messenger, appOf(messenger, settingsOf(kernel).all())), code)
    return id ? { id } : { text: TEXT.outsider }
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error
    kernel.app.log.warn(
      { messenger: messenger.name, reason: error.message.replaceAll(code, '…') },
      'a messenger did not say who scanned a QR code',
    )
    return { text: error.isTemporary ? TEXT.unreachable : TEXT.refused }
  } finally {
    asking--
  }
}
