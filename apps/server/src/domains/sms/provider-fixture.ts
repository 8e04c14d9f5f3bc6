/**
 * The two SMS providers on a port of this machine: they check signatures as the real ones do, and
 * keep the messages that were handed in.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SmsMessage {
  provider: 'alibaba' | 'tencent'
  phone: string
  sign: string
  template: string
  code: string
}

export interface SmsProviders {
  url: string
  messages: SmsMessage[]
  /** Requests so far, refused ones included. */
  asked: number
  /** The answer to the next request instead; `drop` closes its connection. */
  next: { status: number; body: string; location?: string } | 'drop' | undefined
  close(): Promise<void>
}

export const ALIBABA = { id: 'LTAIfixture', secret: 'alibaba-secret' }
/** Settings by which a server sends codes through its Alibaba side. */
export const BY_ALIBABA = {
  SMS_ENABLED: true,
  ALIBABA_ACCESS_KEY_ID: ALIBABA.id,
  ALIBABA_ACCESS_KEY_SECRET: ALIBABA.secret,
  ALIBABA_VERIFY_SIGN_NAME: 'Sign',
  ALIBABA_VERIFY_TEMPLATE_CODE: 'SMS_1',
}
export const TENCENT = { id: 'AKIDfixture', secret: 'tencent-secret' }

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

export async function startSmsProviders(): Promise<SmsProviders> {
  const nonces = new Set<string>()
  const providers: SmsProviders = { url: '', messages: [], asked: 0, next: undefined, close: async () => {} }
  const server = createServer(async (request, response) => {
    providers.asked++
    const { next } = providers
    providers.next = undefined
    if (next === 'drop') return void request.socket.destroy()
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    if (next)
      return void response.writeHead(next.status, next.location ? { location: next.location } : {}).end(next.body)
    const [status, answer] = request.headers['x-acs-action']
      ? alibaba(providers, nonces, request, body)
      : tencent(providers, request, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  providers.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  providers.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return providers
}

/** Signed headers as lines, in the order that the client names. */
const linesOf = ({ headers }: IncomingMessage, names: string) =>
  names
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join('')

function alibaba(
  providers: SmsProviders,
  nonces: Set<string>,
  request: IncomingMessage,
  body: Buffer,
): [number, object] {
  const { headers, url = '' } = request
  const [, id, names = '', signature] =
    /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=(\w+)$/.exec(headers.authorization ?? '') ??
    []
  const refuse = (Code: string): [number, object] => [400, { Code, Message: 'refused', RequestId: '1' }]
  if (id !== ALIBABA.id) return refuse('InvalidAccessKeyId.NotFound')
  const mustSign = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-acs-'))].sort()
  if (names !== mustSign.join(';') || headers['x-acs-content-sha256'] !== sha256(body))
    return refuse('IncompleteSignature')
  const search = url.slice(url.indexOf('?') + 1)
  const canonical = `${request.method}\n/\n${search.split('&').sort().join('&')}\n${linesOf(request, names)}\n${names}\n${sha256(body)}`
  if (hmac(ALIBABA.secret, `ACS3-HMAC-SHA256\n${sha256(canonical)}`).toString('hex') !== signature)
    return refuse('SignatureDoesNotMatch')
  const nonce = String(headers['x-acs-signature-nonce'])
  if (nonces.has(nonce)) return refuse('SignatureNonceUsed')
  nonces.add(nonce)
  if (Math.abs(Date.parse(String(headers['x-acs-date'])) - Date.now()) > 900_000)
    return refuse('InvalidTimeStamp.Expired')
  if (headers['x-acs-action'] !== 'SendSms' || headers['x-acs-version'] !== '2017-05-25')
    return refuse('InvalidAction.NotFound')
  const query = new URLSearchParams(search)
  const sign = query.get('SignName') ?? ''
  const template = query.get('TemplateCode') ?? ''
  if (!template.startsWith('SMS_'))
    return [200, { Code: 'isv.SMS_TEMPLATE_ILLEGAL', Message: 'no such template', RequestId: '1' }]
  const { code } = JSON.parse(query.get('TemplateParam') ?? '{}')
  providers.messages.push({ provider: 'alibaba', phone: query.get('PhoneNumbers') ?? '', sign, template, code })
  return [200, { Code: 'OK', Message: 'OK', BizId: '1', RequestId: '1' }]
}

function tencent(providers: SmsProviders, request: IncomingMessage, body: Buffer): [number, object] {
  const { headers } = request
  const refuse = (Code: string): [number, object] => [
    200,
    { Response: { Error: { Code, Message: 'refused' }, RequestId: '1' } },
  ]
  const [, id, day = '', names = '', signature] =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/([\d-]+)\/sms\/tc3_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (id !== TENCENT.id) return refuse('AuthFailure.SecretIdNotFound')
  const seconds = Number(headers['x-tc-timestamp'])
  if (Math.abs(seconds - Date.now() / 1000) > 300 || new Date(seconds * 1000).toISOString().slice(0, 10) !== day)
    return refuse('AuthFailure.SignatureExpire')
  const canonical = `${request.method}\n${request.url}\n\n${linesOf(request, names)}\n${names}\n${sha256(body)}`
  const text = `TC3-HMAC-SHA256\n${seconds}\n${day}/sms/tc3_request\n${sha256(canonical)}`
  const key = hmac(hmac(hmac(`TC3${TENCENT.secret}`, day), 'sms'), 'tc3_request')
  if (hmac(key, text).toString('hex') !== signature || !/\bhost\b/.test(names))
    return refuse('AuthFailure.SignatureFailure')
  if (headers['x-tc-action'] !== 'SendSms' || headers['x-tc-version'] !== '2021-01-11' || !headers['x-tc-region'])
    return refuse('InvalidAction')
  const sent = JSON.parse(body.toString('utf8'))
  const status = (Code: string) =>
    [200, { Response: { SendStatusSet: [{ Code, Message: 'status' }], RequestId: '1' } }] as [number, object]
  if (sent.SmsSdkAppId !== '1400000000') return status('UnauthorizedOperation.SmsSdkAppIdVerifyFail')
  if (!/^\d+$/.test(sent.TemplateId)) return status('FailedOperation.TemplateIncorrectOrUnapproved')
  const [code] = sent.TemplateParamSet
  providers.messages.push({
    provider: 'tencent',
    phone: sent.PhoneNumberSet[0],
    sign: sent.SignName,
    template: sent.TemplateId,
    code,
  })
  return status('Ok')
}
