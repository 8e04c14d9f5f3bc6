import { randomUUID } from 'node:crypto'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../../domains/settings/index.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import { storeCommands } from './dangerous-commands.ts'

let fixture: TerminalFixture
beforeAll(async () => {
  fixture = await openTerminalFixture()
  await fixture.server.kernel.pool.query("UPDATE users_user SET language = 'en'")
})
afterAll(() => fixture?.close())

const risks = async (session: string) =>
  Object.fromEntries(
    (await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${session}`)).body.map(
      (row: { input: string; risk_level: number }) => [row.input, row.risk_level],
    ),
  )

test('commands that a rule denies or has confirmed are marked, and told to who wants to hear of them, while the alert is on', async () => {
  const { server, person } = fixture
  const { kernel, admin } = server
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'guarded', users: [person.id] })
  const rule = (content: string, more: object = {}) =>
    fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content, ...more })
  await rule('rm\nmkfs', { priority: 50 })
  await rule('rm -i', { priority: 10, action: 9 })
  // Would take longer than the universe on the last command below.
  await rule('(a+)+$', { type: 'regex', priority: 5 })
  const watcher = await server.aPerson('watcher')
  const subscription = { users: [watcher.id], groups: [], receive_backends: ['email'] }
  expect(
    (await admin.put('/api/v1/notifications/system-msg-subscription/CommandAlertMessage/', subscription)).status,
  ).toBe(200)
  const told = async () =>
    (await watcher.get('/api/v1/notifications/site-message/')).body.map(({ subject }: { subject: string }) => subject)

  const session = '00000000-0000-4000-8000-00000000000a'
  const place = {
    userId: person.id,
    target: { family: 'asset' as const, id: fixture.asset },
    systemUserId: fixture.systemUser,
  }
  const store = (inputs: readonly string[], who = place) =>
    storeCommands(
      kernel,
      inputs.map((input, at) => ({
        id: randomUUID(),
        place: who,
        input,
        output: '',
        user: 'w(w)',
        asset: 'a',
        system_user: 's',
        session,
        org_id: DEFAULT_ORG_ID,
        timestamp: at,
      })),
    )
  await store(['rm off'])
  await settingsOf(kernel).set('SECURITY_INSECURE_COMMAND', true)
  await store(['RM -rf /', 'rm -i file', 'echo form', `${'a'.repeat(60)}!`])
  await store(['rm other'], { ...place, userId: watcher.id })
  expect(await risks(session)).toEqual({
    'rm off': 0,
    'RM -rf /': 5,
    'rm -i file': 0,
    'echo form': 0,
    [`${'a'.repeat(60)}!`]: 0,
    'rm other': 0,
  })
  expect(await told()).toEqual(['Dangerous command: RM -rf /'])
})
