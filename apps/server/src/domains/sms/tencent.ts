import { secondsOf, signTc3, TC3_CONTENT_TYPE } from '../../kernel/signatures/tc3.ts'
import type { Settings } from '../settings/index.ts'
import { call, SmsError, wordsOf } from './provider-call.ts'

/**
 * Sends a code through Tencent Cloud (SendSms of 2021-01-11), as the only parameter of the
 * template.
 * @throws SmsError
 */
export async function sendByTencent(base: string, settings: Settings, phone: string, code: string): Promise<void> {
  const body = JSON.stringify({
    // Phones here are Chinese (docs/rules/users.md#phone).
    PhoneNumberSet: [`+86${phone}`],
    SmsSdkAppId: settings.TENCENT_SDKAPPID,
    SignName: settings.TENCENT_VERIFY_SIGN_NAME,
    TemplateId: settings.TENCENT_VERIFY_TEMPLATE_CODE,
    TemplateParamSet: [code],
  })
  const date = new Date()
  const { TENCENT_SECRET_ID: secretId, TENCENT_SECRET_KEY: secretKey } = settings
  const answer = await call(`${base}/`, {
    headers: {
      'content-type': TC3_CONTENT_TYPE,
      'x-tc-action': 'SendSms',
      'x-tc-version': '2021-01-11',
      'x-tc-region': 'ap-guangzhou',
      'x-tc-timestamp': String(secondsOf(date)),
      authorization: signTc3({ host: new URL(base).host, service: 'sms', body, secretId, secretKey, date }),
    },
    body,
  })
  const { Response: response } = answer as { Response?: { Error?: Status; SendStatusSet?: Status[] } }
  const status = response?.Error ?? response?.SendStatusSet?.[0]
  if (status?.Code !== 'Ok')
    throw new SmsError(
      isTemplateFault(String(status?.Code)) ? 'template' : 'refused',
      wordsOf(status?.Code, status?.Message),
    )
}

interface Status {
  Code?: unknown
  Message?: unknown
}

/** Signature or template is unknown, not approved, or they don't fit together. */
const isTemplateFault = (code: string): boolean =>
  /signature(incorrect|notfound)|template(incorrect|paramset|notfound|idnot)/i.test(code) && !/^AuthFailure/.test(code)
