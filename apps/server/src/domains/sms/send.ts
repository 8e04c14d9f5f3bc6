import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Settings } from '../settings/index.ts'
import { sendByAlibaba } from './alibaba.ts'
import { SmsError } from './provider-call.ts'
import { sendByTencent } from './tencent.ts'

export type SmsProvider = Settings['SMS_BACKEND']

/**
 * Hands a code to the provider of these settings and waits until it is accepted
 * (docs/rules/settings.md#setting_sms). The providers' addresses come from the environment
 * (docs/configure.md), never from the console.
 * @throws SmsError
 */
export async function sendCode(
  { config }: Kernel,
  provider: SmsProvider,
  settings: Settings,
  phone: string,
  code: string,
): Promise<void> {
  const filled =
    provider === 'alibaba'
      ? settings.ALIBABA_VERIFY_SIGN_NAME && settings.ALIBABA_VERIFY_TEMPLATE_CODE
      : settings.TENCENT_VERIFY_SIGN_NAME && settings.TENCENT_VERIFY_TEMPLATE_CODE
  if (!filled) throw new SmsError('template', 'none is filled in')
  if (provider === 'alibaba') await sendByAlibaba(config.smsAlibabaUrl, settings, phone, code)
  else await sendByTencent(config.smsTencentUrl, settings, phone, code)
}

/**
 * What went wrong, in words for the administrator who sets up the provider, with its own answer.
 */
export function explainSmsError({ reason, message }: SmsError, language: Language): string {
  const text = {
    template: 'The SMS signature or template is not valid ({{detail}})',
    refused: 'The SMS provider refused the request ({{detail}})',
    unreachable: 'The SMS provider cannot be reached ({{detail}})',
  }[reason]
  return translate(language, text, { detail: message.slice(0, 300) })
}
