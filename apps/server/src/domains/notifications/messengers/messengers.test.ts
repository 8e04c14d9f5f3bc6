import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { notify } from '../notify.ts'
import { MESSENGER_NAMES, type MessengerName } from './messenger.ts'
import { type MessengerServer, startMessengerServer } from './messenger-server-fixture.ts'
import { firstBytes } from './words.ts'

let company: MessengerServer
let server: TestServer
beforeAll(async () => {
  company = await startMessengerServer()
  server = await openTestServer(company.environment)
  for (const name of MESSENGER_NAMES) company.people[name].add('test').add('anna')
})
afterAll(async () => {
  await server?.close()
  await company?.close()
})

const testing = (name: MessengerName, body: object) => server.admin.post(`/api/v1/settings/${name}/testing/`, body)
const SECRETS = { wecom: 'WECOM_SECRET', dingtalk: 'DINGTALK_APPSECRET', feishu: 'FEISHU_APP_SECRET' } as const

test.each(MESSENGER_NAMES)(
  '[B7.09] the test of %s sends a text by what is typed, which is not stored, and tells why not',
  async (name) => {
    const { [SECRETS[name]]: secret, ...rest } = company.settings[name]
    const { status, body } = await testing(name, {})
    expect([status, body]).toEqual([400, { error: 'Fill in the application and its secret first' }])
    expect(await testing(name, { ...rest, [SECRETS[name]]: secret })).toMatchObject({
      status: 200,
      body: { msg: 'The test succeeded' },
    })
    expect(company.messages[name].splice(0)).toMatchObject([{ to: ['test'], type: 'text', text: 'The settings work.' }])
    expect((await testing(name, {})).status).toBe(400)
    // An empty secret is the saved one; nobody of the name `test` is no fault.
    await settingsOf(server.kernel).change({ [SECRETS[name]]: secret } as never)
    company.people[name].delete('test')
    expect(await testing(name, { ...rest, [SECRETS[name]]: '' })).toMatchObject({
      status: 200,
      body: { msg: 'The test succeeded' },
    })
    const wrong = await testing(name, { ...rest, [SECRETS[name]]: 'Herring-1' })
    expect(wrong).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^\w+ refuses: .+ \(\d+\)$/) } })
    expect(JSON.stringify(wrong.body)).not.toContain('Herring')
    company.failure.status = 502
    expect((await testing(name, rest)).body.error).toMatch(/^\w+ cannot be reached$/)
    company.failure.status = 0
    expect(await testing(name, { ...rest, [SECRETS[name]]: 'x'.repeat(300) })).toMatchObject({
      status: 400,
      body: { [SECRETS[name]]: {} },
    })
  },
)

test('people who are bound and subscribed hear by each messenger, in its form and their language; one that is away holds up nobody', async () => {
  for (const name of MESSENGER_NAMES) await settingsOf(server.kernel).change(company.settings[name])
  const anna = await server.aPerson('anna')
  await server.kernel.pool.query(
    `UPDATE users_user SET wecom_id = 'anna', dingtalk_id = 'anna', feishu_id = 'anna', language = 'en' WHERE id = $1`,
    [anna.id],
  )
  expect((await server.admin.get('/api/v1/notifications/backends/')).body).toMatchObject([
    { name: 'wecom' },
    { name: 'dingtalk' },
    { name: 'site_msg' },
    { name: 'feishu' },
  ])
  company.failure.busy = 'wecom'
  const tell = (subject: string) =>
    notify(server.kernel, [anna.id], (say) => ({
      subject,
      paragraphs: [
        say('If it was not you, tell an administrator at once.'),
        '[free](http://evil.example) <at user_id="all"></at>',
      ],
      link: { text: 'My profile', path: '/ui/users/profile' },
    }))
  await tell('First')
  const taken = (name: MessengerName) =>
    company.messages[name].map(({ to, type, text }) => [to.join(), type, text.split('\n')[0]])
  await expect
    .poll(() => [taken('dingtalk'), taken('feishu')])
    .toEqual([[['anna', 'markdown', '**First**']], [['anna', 'text', 'First']]])
  const text = company.messages.dingtalk[0]?.text ?? ''
  expect(text).toContain('If it was not you')
  expect(text).toContain('[My profile](http://localhost:8080/ui/users/profile)')
  // DingTalk drops repeats: the time makes each another one.
  expect(text).toMatch(/\d{4}\/\d+\/\d+ \d\d:\d\d:\d\d/)
  expect(text).not.toContain('](http://evil')
  expect(company.messages.feishu[0]?.text).not.toMatch(/My profile|<at|\]\(http/)

  // A message that was refused as busy waits, sealed, and goes out when the messenger is back.
  const waiting = () =>
    server.kernel.pool.query(
      "SELECT data FROM kernel_job WHERE queue = 'notifications.send_by_wecom' AND state = 'waiting' AND tries > 0",
    )
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  expect(JSON.stringify((await waiting()).rows)).not.toMatch(/anna|First/)
  delete company.failure.busy
  // A new token is requested once for a withdrawn one.
  company.lapseTokens('wecom')
  company.calls.length = 0
  await server.kernel.pool.query(
    "UPDATE kernel_job SET date_due = now() WHERE queue = 'notifications.send_by_wecom' AND state = 'waiting' AND tries > 0",
  )
  await server.kernel.events.publish('jobs.due', { queues: ['notifications.send_by_wecom'] })
  await expect.poll(() => taken('wecom')).toEqual([['anna', 'markdown', '**First**']])
  expect(company.calls.filter((call) => call.includes('/wecom/'))).toEqual([
    'POST /wecom/cgi-bin/message/send',
    'GET /wecom/cgi-bin/gettoken',
    'POST /wecom/cgi-bin/message/send',
  ])

  // People who unsubscribe, or have no id there, get no message; a kept token is used again.
  const path = `/api/v1/notifications/user-msg-subscription/${anna.id}/`
  expect((await anna.patch(path, { receive_backends: ['feishu'] })).status).toBe(200)
  company.calls.length = 0
  await tell('Second')
  await expect.poll(() => company.messages.feishu.length).toBe(2)
  expect(company.calls).toEqual(['POST /feishu/open-apis/im/v1/messages'])
  await server.kernel.pool.query('UPDATE users_user SET feishu_id = NULL WHERE id = $1', [anna.id])
  await tell('Third')
  const pending = async () =>
    (
      await server.kernel.pool.query(
        "SELECT 1 FROM kernel_job WHERE queue LIKE 'notifications.send_by_%' AND state IN ('waiting', 'running')",
      )
    ).rowCount
  await expect.poll(pending).toBe(0)
  expect(MESSENGER_NAMES.map((name) => company.messages[name].length)).toEqual([1, 1, 2])
})

test('the addresses of the messengers are no settings that can be changed on a page', async () => {
  for (const category of ['all', 'wecom', 'dingtalk', 'feishu']) {
    const url = `/api/v1/settings/setting/?category=${category}`
    const changes = {
      WECOM_API_URL: 'http://evil.example',
      DINGTALK_API_URL: 'http://evil.example',
      FEISHU_API_URL: 'http://evil.example',
    }
    expect((await server.admin.patch(url, changes)).status).toBe(200)
    expect(JSON.stringify((await server.admin.get(url)).body)).not.toContain('_API_URL')
  }
  expect(settingsOf(server.kernel).get('WECOM_API_URL')).toContain('127.0.0.1')
  company.calls.length = 0
  await testing('wecom', {
    WECOM_API_URL: 'http://evil.example',
    ...company.settings.wecom,
    WECOM_SECRET: 'another-one',
  })
  expect(company.calls).toEqual(['GET /wecom/cgi-bin/gettoken'])
})

test.each([
  ['short', 10, 'short'],
  ['企业微信消息', 13, '企业微…'],
  ['ab企业', 6, 'ab…'],
])('%s is cut at %i bytes between characters', (text, limit, cut) => {
  expect(firstBytes(text, limit)).toBe(cut)
})
