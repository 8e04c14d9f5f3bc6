import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { signAcs3 } from '../../kernel/signatures/acs3.ts'
import { signTc3 } from '../../kernel/signatures/tc3.ts'
import { ALIBABA, type SmsProviders, startSmsProviders, TENCENT } from './provider-fixture.ts'

let providers: SmsProviders
let server: TestServer
beforeAll(async () => {
  providers = await startSmsProviders()
  server = await openTestServer({ SALLYPORT_SMS_ALIBABA_URL: providers.url, SALLYPORT_SMS_TENCENT_URL: providers.url })
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})
afterEach(() => {
  providers.messages.length = 0
})

const ALIBABA_DRAFT = {
  SMS_TEST_PHONE: '13800138000',
  ALIBABA_ACCESS_KEY_ID: ALIBABA.id,
  ALIBABA_ACCESS_KEY_SECRET: ALIBABA.secret,
  ALIBABA_VERIFY_SIGN_NAME: '阿里云测试 (a*b)',
  ALIBABA_VERIFY_TEMPLATE_CODE: 'SMS_12345678',
}
const TENCENT_DRAFT = {
  SMS_TEST_PHONE: '13800138000',
  TENCENT_SECRET_ID: TENCENT.id,
  TENCENT_SECRET_KEY: TENCENT.secret,
  TENCENT_SDKAPPID: '1400000000',
  TENCENT_VERIFY_SIGN_NAME: '腾讯云测试',
  TENCENT_VERIFY_TEMPLATE_CODE: '449739',
}
const testBy = (provider: string, body: object) => server.admin.post(`/api/v1/settings/${provider}/testing/`, body)

test('signatures are those of the examples that the providers publish', () => {
  const acs3 = signAcs3({
    host: 'ecs.cn-shanghai.aliyuncs.com',
    action: 'RunInstances',
    version: '2014-05-26',
    query: { RegionId: 'cn-shanghai', ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd' },
    keyId: 'YourAccessKeyId',
    keySecret: 'YourAccessKeySecret',
    nonce: '3156853299f313e23d1673dc12e1703d',
    date: new Date('2023-10-26T10:22:32Z'),
  })
  expect(acs3.headers.authorization).toBe(
    'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
  )
  const tc3 = signTc3({
    host: 'cvm.tencentcloudapi.com',
    service: 'cvm',
    body: String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`,
    secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
    secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
    date: new Date(1_551_113_065_000),
  })
  expect(tc3).toBe(
    'TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168',
  )
})

test.each([
  [
    'alibaba',
    ALIBABA_DRAFT,
    '13800138000',
    { ALIBABA_VERIFY_TEMPLATE_CODE: 'none' },
    { ALIBABA_ACCESS_KEY_SECRET: 'wrong' },
  ],
  [
    'tencent',
    TENCENT_DRAFT,
    '+8613800138000',
    { TENCENT_VERIFY_TEMPLATE_CODE: 'none' },
    { TENCENT_SECRET_KEY: 'wrong' },
  ],
])(
  '%s: a test message with the values of the form, then with the saved secret; refusals are reported in words',
  async (provider, draft, phone, bad, wrong) => {
    expect(await testBy(provider, draft)).toMatchObject({
      status: 200,
      body: { msg: 'A test message was sent to 13800138000' },
    })
    const [sign, template] = Object.entries(draft).flatMap(([name, value]) =>
      /SIGN_NAME|TEMPLATE/.test(name) ? [value] : [],
    )
    expect(providers.messages).toEqual([{ provider, phone, sign, template, code: '6666' }])
    // Nothing was saved by that.
    expect((await testBy(provider, { SMS_TEST_PHONE: '' })).body).toEqual({
      code: 'test_phone_required',
      detail: expect.any(String),
    })
    const saved = await server.admin.put(`/api/v1/settings/setting/?category=${provider}`, draft)
    expect([saved.status, JSON.stringify(saved.body).includes('-secret')]).toEqual([200, false])
    expect((await testBy(provider, {})).status).toBe(200)
    expect((await testBy(provider, bad)).body.error).toMatch(/^The SMS signature or template is not valid/)
    expect((await testBy(provider, wrong)).body.error).toMatch(
      /^The SMS provider refused the request \((SignatureDoesNotMatch|AuthFailure)/,
    )
    expect((await testBy(provider, { SMS_TEST_PHONE: '+44 20 7946 0000' })).body).toHaveProperty('SMS_TEST_PHONE')
    expect(await testBy(provider, { SMS_TEST_PHONE: 'x'.repeat(300) })).toMatchObject({
      status: 400,
      body: { SMS_TEST_PHONE: [expect.any(String)] },
    })
  },
)

test('a lost connection is tried once more; invalid or too long answers and redirects are reported, and nothing follows them', async () => {
  const draft = { ...ALIBABA_DRAFT }
  providers.next = 'drop'
  expect((await testBy('alibaba', draft)).status).toBe(200)
  const before = providers.asked
  for (const next of [
    { status: 200, body: 'not JSON' },
    { status: 200, body: JSON.stringify({ Code: 'OK', Message: 'x'.repeat(100_000) }) },
    { status: 302, body: '', location: `${providers.url}/elsewhere` },
  ]) {
    providers.next = next
    const { status, body } = await testBy('alibaba', draft)
    // The redirect is a fault of the connection: the second try gets a real answer.
    if (next.status === 302) expect(status).toBe(200)
    else expect([status, body.error]).toEqual([400, expect.stringContaining('cannot be reached')])
  }
  expect(providers.asked - before).toBe(4)
  for (const [provider, answer] of [
    ['alibaba', { Code: { a: 1 } }],
    ['tencent', { Response: { SendStatusSet: [{}] } }],
  ] as const) {
    providers.next = { status: 200, body: JSON.stringify(answer) }
    const { status, body } = await testBy(provider, {})
    expect([status, body.error]).toEqual([400, expect.not.stringMatching(/undefined|object Object/)])
  }
})

test('the providers are listed, and only system administrators send test messages', async () => {
  expect((await server.admin.get('/api/v1/settings/sms/backend/')).body).toEqual([
    { name: 'alibaba', label: 'Alibaba cloud' },
    { name: 'tencent', label: 'Tencent cloud' },
  ])
  const plain = await server.aPerson('plain')
  expect((await plain.post('/api/v1/settings/alibaba/testing/', ALIBABA_DRAFT)).status).toBe(403)
})
