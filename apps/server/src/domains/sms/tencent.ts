import { createHash, createHmac } from 'node:crypto'
import type { Settings } from '../settings/index.ts'
import { call, SmsError } from './provider-call.ts'

/** A call to Tencent Cloud before it is signed. */
export interface Tc3Call {
  host: string
  service: string
  /** JSON, exactly as it is sent. */
  body: string
  secretId: string
  secretKey: string
  date: Date
}

const TC3_CONTENT_TYPE = 'application/json; charset=utf-8'

/**
 * The Authorization header of a POST, signed by TC3-HMAC-SHA256 (Tencent Cloud API 3.0, "Signature
 * v3").
 */
export function signTc3({ host, service, body, secretId, secretKey, date }: Tc3Call): string {
  const signed = 'content-type;host'
  const request = `POST\n/\n\ncontent-type:${TC3_CONTENT_TYPE}\nhost:${host}\n\n${signed}\n${sha256(body)}`
  const day = date.toISOString().slice(0, 10)
  const scope = `${day}/${service}/tc3_request`
  const text = `TC3-HMAC-SHA256\n${secondsOf(date)}\n${scope}\n${sha256(request)}`
  const key = [day, service, 'tc3_request'].reduce<Buffer | string>((made, part) => hmac(made, part), `TC3${secretKey}`)
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signed}, Signature=${hmac(key, text).toString('hex')}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000)

/**
 * Sends a code through Tencent Cloud (SendSms of 2021-01-11), as the only parameter of the
 * template.
 * @throws SmsError
 */
export async function sendByTencent(base: string, settings: Settings, phone: string, code: string): Promise<void> {
  const body = JSON.stringify({
    // Phones here are Chinese (contract/users.yaml `phone`).
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
      `${status?.Code}: ${status?.Message}`,
    )
}

interface Status {
  Code?: unknown
  Message?: unknown
}

/** Signature or template is unknown, not approved, or they don't fit together. */
const isTemplateFault = (code: string): boolean =>
  /signature(incorrect|notfound)|template(incorrect|paramset|notfound|idnot)/i.test(code) && !/^AuthFailure/.test(code)
