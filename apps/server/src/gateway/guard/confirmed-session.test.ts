import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { openSshFixture, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'
import type { Terminal } from '../listeners/web/terminal-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: SshFixture
let reviewer: Caller
let filter: string
/** The rule that has commands confirmed. */
let rule: string
beforeAll(async () => {
  fixture = await openSshFixture()
  reviewer = await fixture.server.aPerson('confirmer')
  filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'asked', users: [fixture.person.id] })
  rule = await aRule({ type: 'regex', content: 'echo once', action: 2, reviewers: [reviewer.id] })
})
afterAll(() => fixture?.close())
beforeEach(() => fixture.server.kernel.pool.query('DELETE FROM tickets_ticket'))

const aRule = (draft: object) =>
  fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', ...draft })
const deleteRule = (id: string) => fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/rules/${id}/`)

type Ticket = { id: string; meta: Record<string, string> }
const openTicket = async () =>
  (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results[0] as Ticket | undefined
/** The ticket, once it is there. */
async function ticketOpened(): Promise<Ticket> {
  await expect.poll(openTicket).toBeDefined()
  return (await openTicket()) as Ticket
}
const decide = async (ticket: Ticket, verdict: string) =>
  expect((await reviewer.put(`${TICKETS}${ticket.id}/${verdict}/`)).status).toBe(200)

async function lastComment({ id }: Ticket): Promise<[string, string]> {
  const { user_display, body } = (await reviewer.get(`/api/v1/tickets/comments/?ticket_id=${id}`)).body.at(-1)
  return [user_display, body]
}

const content = (file: string) => readFile(file, 'utf8').catch(() => '')

/** The row of a command, once it is stored. */
async function rowOf(input: string): Promise<unknown> {
  const stored = async () =>
    (
      await fixture.server.kernel.pool.query(
        'SELECT risk_level, output, rule, rule_filter, ticket, "user" FROM terminal_command WHERE input = $1',
        [input],
      )
    ).rows
  await expect.poll(stored).toHaveLength(1)
  return (await stored())[0]
}
const notRun = (ticket: Ticket | null) => ({
  risk_level: 5,
  output: '',
  rule,
  rule_filter: 'asked',
  ticket: ticket?.id ?? null,
})

/** The person types a command that writes a file, and says yes to the question whether to go on. */
async function waiting(name: string, options: Parameters<SshFixture['open']>[1] = {}) {
  const file = join(fixture.folder, name)
  const command = `echo once >> ${file}`
  const terminal = await fixture.open(fixture.person, options)
  await terminal.see(/[#$]/)
  terminal.type(`${command}\r`)
  await terminal.see('[Y/n]')
  terminal.type('y\r')
  const ticket = await ticketOpened()
  await terminal.see('Ctrl-C to withdraw')
  return { terminal, ticket, file, command }
}

/** The next line is answered: everything before it is over. */
async function goesOn(terminal: Terminal): Promise<void> {
  terminal.type('echo over$((1))\r')
  await terminal.see('over1')
  terminal.close()
}

test('[A2.52] a command that a reviewer approves runs on the machine, exactly as it was sent and once', async () => {
  const { terminal, ticket, file, command } = await waiting('approved')
  expect(ticket.meta).toMatchObject({ apply_run_command: command, apply_run_user: 'walker of test(walker)' })
  expect(await content(file)).toBe('')
  await decide(ticket, 'approve')
  await expect.poll(() => content(file)).not.toBe('')
  await goesOn(terminal)
  expect(await content(file)).toBe('once\n')
})

test('[A2.52] a command that a reviewer rejects never runs, and the person sees who rejected it', async () => {
  const { terminal, ticket, file, command } = await waiting('rejected')
  await decide(ticket, 'reject')
  await terminal.see('rejected this command')
  await goesOn(terminal)
  expect(await content(file)).toBe('')
  expect(await rowOf(command)).toMatchObject(notRun(ticket))
})

test('a rule that denies, made while the ticket waits, stops the command that was approved', async () => {
  const { terminal, ticket, file, command } = await waiting('denied-meanwhile')
  const denial = await aRule({ content: 'denied-meanwhile', priority: 1 })
  await decide(ticket, 'approve')
  await terminal.see('Command `denied-meanwhile` is forbidden')
  await deleteRule(denial)
  await goesOn(terminal)
  expect(await content(file)).toBe('')
  expect(await rowOf(command)).toMatchObject({ ...notRun(ticket), rule: denial })
})

test('another rule that has it confirmed meanwhile is not what was approved; one that allows it changes nothing', async () => {
  const { terminal, ticket, file } = await waiting('other-rule')
  const other = await aRule({ content: 'other-rule', action: 2, reviewers: [reviewer.id], priority: 1 })
  await decide(ticket, 'approve')
  await terminal.see('Another rule has this command confirmed meanwhile')
  await deleteRule(other)
  await goesOn(terminal)
  expect(await content(file)).toBe('')

  const again = await waiting('allowed-meanwhile')
  const allowing = await aRule({ content: 'allowed-meanwhile', action: 9, priority: 1 })
  await decide(again.ticket, 'approve')
  await expect.poll(() => content(again.file)).toBe('once\n')
  await deleteRule(allowing)
  again.terminal.close()
})

test('Ctrl-C while the ticket waits closes it and empties the line; the row says that it was not run', async () => {
  const { terminal, ticket, file, command } = await waiting('withdrawn')
  terminal.type('\x03')
  await terminal.see('The command was withdrawn and is not run')
  await expect.poll(openTicket).toBeUndefined()
  expect((await lastComment(ticket))[1]).toBe('walker of test (walker) closed the ticket')
  await goesOn(terminal)
  expect(await content(file)).toBe('')
  expect(await rowOf(command)).toMatchObject(notRun(ticket))
})

test('a person who does not want others to be asked leaves a row, and no ticket', async () => {
  const terminal = await fixture.open(fixture.person)
  await terminal.see(/[#$]/)
  terminal.type('echo once unwanted\r')
  await terminal.see('[Y/n]')
  terminal.type('n\r')
  await terminal.see('The command was withdrawn and is not run')
  expect(await openTicket()).toBeUndefined()
  await goesOn(terminal)
  expect(await rowOf('echo once unwanted')).toMatchObject(notRun(null))
})

test('a session that is ended while the ticket waits closes it; nothing runs, and the row says so', async () => {
  const { terminal, ticket, file, command } = await waiting('terminated')
  const task = { session: terminal.session?.id }
  expect((await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [task.session])).status).toBe(200)
  await terminal.closed
  await expect.poll(openTicket).toBeUndefined()
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(400)
  expect(await lastComment(ticket)).toEqual(['System', 'Closed, as the session has ended'])
  expect(await rowOf(command)).toMatchObject(notRun(ticket))
  expect(await content(file)).toBe('')
})

test('nobody decides within an hour: the command is not run, and its ticket closes with that reason', async () => {
  // Only the hour is the test's own; every other limit runs as ever.
  const hour = new AbortController()
  const { timeout } = AbortSignal
  const clock = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === 3_600_000 ? hour.signal : timeout.call(AbortSignal, ms)))
  const { terminal, ticket, file, command } = await waiting('expired')
  hour.abort()
  await terminal.see('Nobody confirmed this command within an hour: it was not run')
  clock.mockRestore()
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(400)
  expect(await lastComment(ticket)).toEqual(['System', 'Closed, as nobody decided it in time'])
  await goesOn(terminal)
  expect(await content(file)).toBe('')
  expect(await rowOf(command)).toMatchObject(notRun(ticket))
})

/** The line of the terminal breaks; answers another one for its session. */
async function comesBack(terminal: Terminal): Promise<Terminal> {
  const target = terminal.session?.id ?? ''
  terminal.cut()
  const isAway = async () =>
    (await fixture.person.get('/koko/sessions/')).body.find((one: { id: string }) => one.id === target)?.is_waiting
  await expect.poll(isAway).toBe(true)
  return fixture.open(fixture.person, { type: 'resume', target, client: 'page' })
}

test('a person who comes back after a broken line finds the command still waiting; approved, it runs once', async () => {
  const { terminal, ticket, file } = await waiting('came-back', { client: 'page' })
  const back = await comesBack(terminal)
  await back.see('Ctrl-C to withdraw')
  expect((await openTicket())?.id).toBe(ticket.id)
  await decide(ticket, 'approve')
  await expect.poll(() => content(file)).toBe('once\n')
  await goesOn(back)
  expect(await content(file)).toBe('once\n')
})

test('a decision made while nobody is there takes effect, and a person who comes back can answer the question and take it back', async () => {
  const { terminal, ticket, file } = await waiting('while-away', { client: 'page' })
  terminal.cut()
  await decide(ticket, 'approve')
  await expect.poll(() => content(file)).toBe('once\n')
  const back = await comesBack(terminal)
  // The screen that they come back to has a prompt and a question already: what is new follows a mark.
  await back.see(/[#$]/)
  back.type('echo back$((1))\r')
  await back.see(/back1[\s\S]*#/)
  const asked = join(fixture.folder, 'asked-again')
  back.type(`echo once >> ${asked}\r`)
  await back.see('[Y/n]')
  const again = await comesBack(back)
  await again.see(/back1[\s\S]*\[Y\/n\]/)
  again.type('y\r')
  // The text that they came back to shows an earlier wait, too: this may be typed before the new
  // one.
  again.type('\x03')
  await again.see('The command was withdrawn and is not run')
  await expect.poll(openTicket).toBeUndefined()
  await goesOn(again)
  expect(await content(asked)).toBe('')
})

test('`ssh host command` waits for the reviewers: told on stderr by whom, it runs once when they approve, and not at all when they reject', async () => {
  const sent = async (name: string, verdict: 'approve' | 'reject') => {
    const file = join(fixture.folder, name)
    const command = `echo once >> ${file}; echo done`
    const running = fixture.ssh(fixture.direct, command)
    const ticket = await ticketOpened()
    expect(ticket.meta).toMatchObject({ apply_run_command: command })
    expect(await content(file)).toBe('')
    await decide(ticket, verdict)
    const { code, stdout, stderr } = await running
    expect(stderr).toMatch(/^.*Waiting for confirmer of test \(confirmer\) to confirm: http.*\/ui\/tickets\/tickets\//)
    return { ran: [code, stdout.toString(), await content(file)], stderr, ticket, command }
  }
  const approved = await sent('sent', 'approve')
  expect(approved.ran).toEqual([0, 'done\n', 'once\n'])
  const rejected = await sent('sent-in-vain', 'reject')
  expect(rejected.ran).toEqual([126, '', ''])
  expect(rejected.stderr).toContain('confirmer of test (confirmer) rejected this command')
  expect(await rowOf(rejected.command)).toMatchObject(notRun(rejected.ticket))
})

test('a person who ends `ssh host command` while it waits withdraws it: approved too late, nothing runs', async () => {
  const file = join(fixture.folder, 'hung-up')
  const { options, environment } = fixture.clientOptions()
  const running = spawn('ssh', [...options, fixture.direct, `echo once >> ${file}`], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  })
  const ticket = await ticketOpened()
  running.kill()
  await expect.poll(openTicket).toBeUndefined()
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(400)
  expect(await rowOf(`echo once >> ${file}`)).toMatchObject(notRun(ticket))
  expect(await content(file)).toBe('')
})
