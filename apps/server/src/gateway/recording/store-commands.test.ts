import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../../domains/settings/index.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'

let fixture: TerminalFixture
beforeAll(async () => {
  fixture = await openTerminalFixture()
  await fixture.server.kernel.pool.query("UPDATE users_user SET language = 'en'")
})
afterAll(() => fixture?.close())

/** The commands of a session in which these lines are typed, with their risk. */
async function risksOf(...lines: string[]): Promise<Record<string, number>> {
  const terminal = await fixture.open(fixture.person)
  for (const line of [...lines, 'exit']) {
    await terminal.see(/[#$] /)
    terminal.type(`${line}\r`)
  }
  await terminal.closed
  const rows = async () =>
    (await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${terminal.session?.id}`)).body as {
      input: string
      risk_level: number
    }[]
  await expect.poll(async () => (await rows()).length).toBe(lines.length + 1)
  return Object.fromEntries((await rows()).map((row) => [row.input, row.risk_level]))
}

test('denied commands are dangerous, and told to who wants to hear of them while the alert is on', async () => {
  const { server, person } = fixture
  const { admin } = server
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'guarded', users: [person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'mkfs' })
  const watcher = await server.aPerson('watcher')
  const subscription = { users: [watcher.id], groups: [], receive_backends: ['email'] }
  expect(
    (await admin.put('/api/v1/notifications/system-msg-subscription/CommandAlertMessage/', subscription)).status,
  ).toBe(200)
  const alerts = async () =>
    (await watcher.get('/api/v1/notifications/site-message/')).body.map(({ subject }: { subject: string }) => subject)

  expect(await risksOf('mkfs quiet')).toEqual({ 'mkfs quiet': 5, exit: 0 })
  await settingsOf(server.kernel).set('SECURITY_INSECURE_COMMAND', true)
  expect(await risksOf('mkfs loud', 'true')).toEqual({ 'mkfs loud': 5, true: 0, exit: 0 })
  await expect.poll(alerts).toEqual(['Dangerous command: mkfs loud'])
})
