import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { notify, notifySubscribers } from '../notify.ts'
import { CHAT_NAMES, type ChatName } from './chat.ts'
import { type ChatServer, startChatServer } from './chat-server-fixture.ts'
import { messageOf } from './slack.ts'
import { cardOf } from './teams.ts'

let company: ChatServer
let server: TestServer
beforeAll(async () => {
  company = await startChatServer()
  server = await openTestServer(company.environment)
  await server.kernel.pool.query("UPDATE users_user SET email = 'boss@example.com' WHERE username = 'admin'")
})
afterAll(async () => {
  await server?.close()
  await company?.close()
})

const testing = (name: ChatName, body: object) => server.admin.post(`/api/v1/settings/${name}/testing/`, body)
const SECRETS = {
  slack: ['SLACK_BOT_TOKEN', 'SLACK_WEBHOOK_URL'],
  teams: ['TEAMS_PERSON_WEBHOOK_URL', 'TEAMS_WEBHOOK_URL'],
} as const
const taken = (name: ChatName) => company.messages[name].splice(0)

test.each(CHAT_NAMES)(
  'the test of %s writes to the room and to who asks by what is typed, stores nothing, and tells why not',
  async (name) => {
    const typed = company.settings[name] as Record<string, unknown>
    const first = 'Turn on and fill in at least one of the two ways first'
    expect(await testing(name, {})).toMatchObject({ status: 400, body: { error: first } })
    if (name === 'slack') {
      const unknown = 'Slack knows nobody with your email address'
      expect(await testing(name, typed)).toMatchObject({ status: 400, body: { error: unknown } })
      taken(name)
    }
    company.people.set('boss@example.com', 'U0BOSS')
    expect(await testing(name, typed)).toMatchObject({ status: 200, body: { msg: 'The test succeeded' } })
    const person = name === 'slack' ? 'U0BOSS' : 'boss@example.com'
    const messages = taken(name)
    expect(messages.map(({ to }) => to)).toEqual(['room', person])
    for (const { body } of messages) expect(JSON.stringify(body)).toContain('The settings work.')
    expect((await testing(name, {})).status).toBe(400)

    for (const secret of SECRETS[name]) {
      const wrong = String(typed[secret]).replace(/.$/, 'X')
      const { status, body } = await testing(name, { ...typed, [secret]: wrong })
      expect([status, body]).toEqual([
        400,
        { error: expect.stringMatching(/^(Slack|Microsoft Teams) refuses: [\w ()]+$/) },
      ])
    }
    company.failure.status = 502
    expect((await testing(name, typed)).body.error).toMatch(/ cannot be reached$/)
    delete company.failure.status
    taken(name)
    const url = name === 'slack' ? 'SLACK_WEBHOOK_URL' : 'TEAMS_WEBHOOK_URL'
    for (const bad of ['javascript:alert(1)', 'no address', `https://${'x'.repeat(1100)}`])
      expect(await testing(name, { ...typed, [url]: bad })).toMatchObject({ status: 400, body: { [url]: {} } })
    expect((await testing(name, { ...typed, [url]: 'http://169.254.169.254/latest/' })).body.error).toMatch(
      / cannot be reached$/,
    )
    expect(taken(name)).toEqual([])
  },
)

test('the secrets are stored sealed and never answered, and an empty one is the saved one', async () => {
  for (const name of CHAT_NAMES) {
    const path = `/api/v1/settings/setting/?category=${name}`
    expect((await server.admin.patch(path, company.settings[name])).status).toBe(200)
    const shown = JSON.stringify((await server.admin.get(path)).body)
    const { rows } = await server.kernel.pool.query('SELECT * FROM settings_setting')
    for (const secret of SECRETS[name]) {
      const value = String((company.settings[name] as Record<string, unknown>)[secret])
      expect(shown).not.toContain(value)
      expect(JSON.stringify(rows)).not.toContain(value)
    }
    const blank = Object.fromEntries(SECRETS[name].map((secret) => [secret, '']))
    expect((await testing(name, blank)).status).toBe(200)
    taken(name)
  }
  expect((await server.admin.get('/api/v1/notifications/backends/')).body).toMatchObject([
    { name: 'site_msg' },
    { name: 'slack', name_display: 'Slack' },
    { name: 'teams', name_display: 'Microsoft Teams' },
  ])
})

test('people who subscribe hear in their language; a service that is busy is asked again and holds up no other', async () => {
  const anna = await server.aPerson('anna')
  await server.kernel.pool.query("UPDATE users_user SET email = 'anna@example.com', language = 'cn' WHERE id = $1", [
    anna.id,
  ])
  company.people.set('anna@example.com', 'U0ANNA')
  company.failure.busy = 'slack'
  const tell = (subject: string) =>
    notify(server.kernel, [anna.id], (say) => ({
      subject,
      paragraphs: [say('If it was not you, tell an administrator at once.'), '<!channel> [free](http://evil.example)'],
      link: { text: say('My profile'), path: '/ui/users/profile' },
    }))
  await tell('First')
  await expect.poll(() => company.messages.teams.map(({ to }) => to)).toEqual(['anna@example.com'])
  expect(JSON.stringify(taken('teams'))).toContain('如果不是您本人操作')
  const waiting = () =>
    server.kernel.pool.query(
      "SELECT data FROM kernel_job WHERE queue = 'notifications.send_by_slack' AND state = 'waiting' AND tries > 0",
    )
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  expect(JSON.stringify((await waiting()).rows)).not.toMatch(/anna|First/)
  delete company.failure.busy
  await server.kernel.pool.query("UPDATE kernel_job SET date_due = now() WHERE queue = 'notifications.send_by_slack'")
  await server.kernel.events.publish('jobs.due', { queues: ['notifications.send_by_slack'] })
  await expect.poll(() => company.messages.slack.map(({ to }) => to)).toEqual(['U0ANNA'])
  const [{ body } = { body: {} }] = taken('slack')
  expect(body).toMatchObject({ text: 'First', blocks: [{ type: 'header' }, {}, {}, { type: 'actions' }] })
  expect(JSON.stringify(body)).toContain('"url":"http://localhost:8080/ui/users/profile"')

  const own = `/api/v1/notifications/user-msg-subscription/${anna.id}/`
  expect((await anna.patch(own, { receive_backends: ['teams'] })).body.receive_backends).toEqual(['teams'])
  await tell('Second')
  await expect.poll(() => company.messages.teams.length).toBe(1)
  // Somebody whom Slack does not know is no reason to try again.
  await anna.patch(own, { receive_backends: ['slack'] })
  company.people.delete('anna@example.com')
  await tell('Third')
  const pending = async () =>
    (
      await server.kernel.pool.query(
        "SELECT 1 FROM kernel_job WHERE queue LIKE 'notifications.send_by_%' AND state IN ('waiting', 'running')",
      )
    ).rowCount
  await expect.poll(pending).toBe(0)
  expect([taken('slack').length, taken('teams').length]).toEqual([0, 1])
})

test('a system message goes to the room once, and to each recipient where there is no room', async () => {
  const kind = '/api/v1/notifications/system-msg-subscription/ServerPerformanceMessage/'
  expect((await server.admin.patch(kind, { receive_backends: ['slack', 'teams'] })).status).toBe(200)
  const tell = (subject: string) =>
    notifySubscribers(server.kernel, 'ServerPerformanceMessage', () => ({ subject, paragraphs: ['It is full.'] }))
  await tell('Disk')
  const receivers = (name: ChatName) => company.messages[name].map(({ to }) => to)
  await expect.poll(() => [receivers('slack'), receivers('teams')]).toEqual([['room'], ['room']])
  await settingsOf(server.kernel).change({ SLACK_CHANNEL_ENABLED: false, TEAMS_CHANNEL_ENABLED: false })
  await tell('Disk again')
  await expect
    .poll(() => [receivers('slack'), receivers('teams')])
    .toEqual([
      ['room', 'U0BOSS'],
      ['room', 'boss@example.com'],
    ])
})

test('a long message is cut to the limits of the services, and a name in it can neither link nor call anybody', () => {
  const words = { subject: `<!channel> ${'s'.repeat(400)}`, paragraphs: [...Array(60).fill('企'.repeat(5000)), ' '] }
  const slack = messageOf(words) as { text: string; blocks: { text: { type: string; text: string } }[] }
  expect(slack.text).toMatch(/^&lt;!channel&gt; s+$/)
  expect(slack.blocks).toHaveLength(41)
  expect(slack.blocks.map(({ text }) => [text.type, text.text.length])).toEqual([
    ['plain_text', 150],
    ...Array(40).fill(['plain_text', 3000]),
  ])
  const card = JSON.stringify(cardOf(words))
  expect(Buffer.byteLength(card)).toBeLessThan(28 * 1024)
  expect(card).not.toContain('"TextBlock"')
})
