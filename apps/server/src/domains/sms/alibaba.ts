import { randomUUID } from 'node:crypto'
import { signAcs3 } from '../../kernel/signatures/acs3.ts'
import type { Settings } from '../settings/index.ts'
import { call, SmsError, wordsOf } from './provider-call.ts'

/**
 * Sends a code through Alibaba Cloud (SendSms of 2017-05-25); the template's parameter is called
 * `code`.
 * @throws SmsError
 */
export async function sendByAlibaba(base: string, settings: Settings, phone: string, code: string): Promise<void> {
  const { search, headers } = signAcs3({
    host: new URL(base).host,
    action: 'SendSms',
    version: '2017-05-25',
    query: {
      PhoneNumbers: phone,
      SignName: settings.ALIBABA_VERIFY_SIGN_NAME,
      TemplateCode: settings.ALIBABA_VERIFY_TEMPLATE_CODE,
      TemplateParam: JSON.stringify({ code }),
    },
    keyId: settings.ALIBABA_ACCESS_KEY_ID,
    keySecret: settings.ALIBABA_ACCESS_KEY_SECRET,
    nonce: randomUUID(),
    date: new Date(),
  })
  const answer = await call(`${base}/?${search}`, { headers })
  const { Code: result, Message: message } = answer as { Code?: unknown; Message?: unknown }
  if (result !== 'OK')
    throw new SmsError(isTemplateFault(String(result)) ? 'template' : 'refused', wordsOf(result, message))
}

/** Signature or template is unknown, not approved, or they don't fit together. */
const isTemplateFault = (code: string): boolean => /^isv\.(SMS_)?(SIGN|TEMPLATE)/i.test(code)
