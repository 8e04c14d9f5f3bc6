import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { openSshFixture, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: SshFixture
let reviewer: Caller
beforeAll(async () => {
  fixture = await openSshFixture()
  const { admin, aPerson } = fixture.server
  reviewer = await aPerson('confirmer')
  const filter = await admin.post('/api/v1/assets/cmd-filters/', { name: 'asked', users: [fixture.person.id] })
  const rule = { type: 'regex', content: 'echo once', action: 2, reviewers: [reviewer.id] }
  const made = await admin.post(`/api/v1/assets/cmd-filters/${filter.body.id}/rules/`, rule)
  expect([made.status, made.body]).toMatchObject([201, {}])
})
afterAll(() => fixture?.close())
beforeEach(() => fixture.server.kernel.pool.query('DELETE FROM tickets_ticket'))

const openTicket = async () =>
  (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results[0] as
    | { id: string; meta: Record<string, string> }
    | undefined

/** The person sends a command that the reviewer decides; answers what the machine's file holds then. */
async function sent(name: string, verdict: 'approve' | 'reject'): Promise<string> {
  const file = join(fixture.folder, name)
  const command = `echo once >> ${file}`
  const terminal = await fixture.open(fixture.person)
  await terminal.see('#')
  terminal.type(`${command}\r`)
  await terminal.see('confirm')
  // Yes, to the question whether to go on.
  terminal.type('y\r')
  await expect.poll(openTicket, { timeout: 10_000 }).toBeDefined()
  const ticket = await openTicket()
  expect(ticket?.meta).toMatchObject({ apply_run_command: command, apply_run_user: 'walker of test(walker)' })
  await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT')
  expect((await reviewer.put(`${TICKETS}${ticket?.id}/${verdict}/`)).status).toBe(200)
  // Until it is decided nobody hears what is typed.
  if (verdict === 'reject') await terminal.see('rejected this command')
  else await expect.poll(() => readFile(file, 'utf8').catch(() => '')).not.toBe('')
  // What follows is answered: everything before it is over.
  terminal.type('echo over$((1))\r')
  await terminal.see('over1')
  terminal.close()
  return readFile(file, 'utf8').catch(() => '')
}

test('[A2.52] a command that a reviewer approves runs on the machine, exactly as it was sent and once', async () => {
  expect(await sent('approved', 'approve')).toBe('once\n')
})

test('[A2.52] a command that a reviewer rejects never runs, and the person is told by whom', async () => {
  expect(await sent('rejected', 'reject')).toBe('')
})
