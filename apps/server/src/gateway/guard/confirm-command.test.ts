import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { settleCommandReviews } from '../../domains/acls/command-review.ts'
import {
  type CommandReviewFixture,
  openCommandReviewFixture,
  TICKETS,
} from '../../domains/acls/command-review-fixture.ts'
import type { StoredSession } from '../../domains/terminal/index.ts'
import { wordsOf } from '../session/notice.ts'
import { requestInTime } from './ask-guard.ts'
import { confirmCommand, decisionOnCommand } from './confirm-command.ts'
import type { Confirmation, Decision, GuardedSession, Verdict } from './guard.ts'

let fixture: CommandReviewFixture
let session: StoredSession
let rule: string
beforeAll(async () => {
  fixture = await openCommandReviewFixture()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM assets_command_filter_rule')
  await pool.query('DELETE FROM tickets_ticket')
  rule = await fixture.aRule()
  session = await fixture.aSession()
})

interface Sending {
  text?: string
  by?: { id: string; display: string }
  dropped?: AbortSignal
}

/** Somebody sends a command that the rule is about. */
function send({ text = 'reboot', by, dropped = new AbortController().signal }: Sending = {}): Promise<Verdict> {
  const { person, assetId, systemUserId } = fixture
  const guarded = {
    session,
    person: { id: person.id, name: 'worker of test', username: 'worker' },
    target: { family: 'asset', id: assetId },
    systemUserId,
  } as unknown as GuardedSession
  const grounds = { rule, filter: 'dangerous', match: 'reboot' }
  return confirmCommand(fixture.server.kernel, { guarded, by, grounds, text }, dropped)
}

const isAsked = (verdict: Verdict): verdict is Confirmation => verdict.action === 'confirm'
const words = (decision: Decision) => (decision.action === 'deny' ? wordsOf(decision.why, 'en') : 'allowed')

/**
 * Sends a command that asks others; returns the ticket's id, the messages to the person, and the
 * decision.
 */
async function waiting(sending: Sending = {}) {
  const verdict = await send(sending)
  if (!isAsked(verdict)) throw new Error(`not asked: ${words(verdict)}`)
  const { message, decision } = await verdict.request()
  const [ticket] = await fixture.openTickets()
  return { asks: wordsOf(verdict.asks, 'en'), message: wordsOf(message, 'en'), decision, ticket: ticket?.id ?? '' }
}
const decide = (ticket: string, verdict: string, by = fixture.reviewers[0]) => by.put(`${TICKETS}${ticket}/${verdict}/`)

test('[A2.52] the reviewers are named before anybody is asked; asked, the ticket and its address; approved, the command is allowed at once', async () => {
  const verdict = await send()
  expect(await fixture.openTickets()).toEqual([])
  expect(isAsked(verdict) && wordsOf(verdict.asks, 'en')).toBe(
    'This command must be confirmed by: first of test (first), second of test (second)',
  )
  const { message, decision, ticket } = await waiting()
  expect(message).toMatch(
    new RegExp(`^Waiting for first of test \\(first\\), .* to confirm: http.*/ui/tickets/tickets/${ticket}$`),
  )
  expect((await decide(ticket, 'approve')).status).toBe(200)
  const approval = performance.now()
  const made = await decision
  expect(made).toMatchObject({ action: 'allow', grounds: { rule, filter: 'dangerous', match: 'reboot', ticket } })
  expect(made.action === 'allow' && made.approval && wordsOf(made.approval, 'en')).toBe(
    'first of test (first) approved this command',
  )
  // By its event, not when the ticket is read again.
  expect(performance.now() - approval).toBeLessThan(4500)
})

test('[A2.52] rejected: denied, with the name of who did it', async () => {
  const { decision, ticket } = await waiting()
  await decide(ticket, 'reject', fixture.reviewers[1])
  expect(await decision).toMatchObject({ action: 'deny', grounds: { ticket } })
  expect(words(await decision)).toBe('second of test (second) rejected this command')
})

test('[A2.52] the first of two simultaneous reviewers counts, for the command as for the ticket', async () => {
  for (let round = 0; round < 8; round++) {
    const { decision, ticket } = await waiting()
    const [first, second] = fixture.reviewers
    const answers = await Promise.all([decide(ticket, 'approve', first), decide(ticket, 'reject', second)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await decision).action).toBe(answers[0].status === 200 ? 'allow' : 'deny')
  }
})

test('[A2.52] a person who gives up withdraws the ticket, and an approval that comes too late runs nothing', async () => {
  const dropped = new AbortController()
  const { decision, ticket } = await waiting({ dropped: dropped.signal })
  dropped.abort()
  expect(words(await decision)).toBe('The confirmation of this command was withdrawn: it was not run')
  expect(await fixture.openTickets()).toEqual([])
  expect((await decide(ticket, 'approve')).status).toBe(400)
})

test('[A2.52] an approval that meets a person who gives up runs nothing', async () => {
  const { decision, ticket } = await waiting()
  await decide(ticket, 'approve')
  expect((await decision).action).toBe('allow')
  const { kernel } = fixture.server
  const read = (signal: AbortSignal) => decisionOnCommand(kernel, { ticket, own: [] }, signal)
  expect(words(await read(AbortSignal.abort()))).toBe('The confirmation of this command was withdrawn: it was not run')
  expect((await read(new AbortController().signal)).action).toBe('allow')
})

test('[A2.52] given up while the ticket is being opened, it is withdrawn just so', async () => {
  const dropped = new AbortController()
  const verdict = await send({ dropped: dropped.signal })
  if (!isAsked(verdict)) throw new Error('not asked')
  const request = verdict.request()
  dropped.abort()
  expect((await (await request).decision).action).toBe('deny')
  expect(await fixture.openTickets()).toEqual([])
})

test('[A2.52] neither the typist nor the person of the session is asked; where nobody else is left, denied and nothing is opened', async () => {
  const { person, reviewers, server } = fixture
  const [guest, other] = reviewers
  const by = { id: guest.id, display: 'first of test(first)' }
  const set = (people: string[]) =>
    server.admin.patch(`/api/v1/assets/cmd-filters/${fixture.filterId}/rules/${rule}/`, { reviewers: people })
  await set([person.id, guest.id, other.id])
  const { asks, decision } = await waiting({ by })
  expect(asks).toBe('This command must be confirmed by: second of test (second)')
  const { body } = await guest.get(`${TICKETS}?type=command_confirm&status=open&limit=1`)
  expect(body.results[0]).toMatchObject({ applicant: guest.id, meta: { apply_run_user: by.display } })
  expect((await decide(body.results[0].id, 'approve', guest)).status).toBe(403)
  await decide(body.results[0].id, 'reject', other)
  await decision
  await set([person.id, guest.id])
  expect(words((await send({ by })) as Decision)).toMatch(/nobody is left who could: it was not run$/)
  expect(await fixture.openTickets()).toEqual([])
})

test('[A2.52] a rule deleted between the question and the ticket, or while the ticket waits, denies in plain words', async () => {
  const gone = () => fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${fixture.filterId}/rules/${rule}/`)
  const { decision, ticket } = await waiting()
  await gone()
  expect((await decide(ticket, 'approve')).status).toBe(400)
  await settleCommandReviews(fixture.server.kernel)
  expect(words(await decision)).toMatch(/^The rule that has this command confirmed has just been changed/)
  expect(words((await send()) as Decision)).toMatch(/^The rule that has this command confirmed has just been changed/)
})

test('[A2.52] a text that is too long to be read to its end is denied', async () => {
  const longest = 'reboot '.padEnd(10_000, 'x')
  expect(isAsked(await send({ text: longest }))).toBe(true)
  expect(words((await send({ text: `${longest}x` })) as Decision)).toMatch(/too long for that: it was not run$/)
})

test('[A2.52] control characters and broken pairs are stored, as PostgreSQL can', async () => {
  const { decision, ticket } = await waiting({ text: 'reboot \0 \ud800' })
  const [stored] = await fixture.openTickets()
  expect(stored?.meta.apply_run_command).toBe('reboot ␀ �')
  await decide(ticket, 'reject')
  await decision
})

test('[A2.52] a database that does not answer counts as a fault within five seconds', async () => {
  const { kernel } = fixture.server
  const dropped = new AbortController()
  const verdict = await send({ dropped: dropped.signal })
  if (!isAsked(verdict)) throw new Error('not asked')
  const holder = await kernel.pool.connect()
  await holder.query('BEGIN; LOCK TABLE tickets_ticket IN ACCESS EXCLUSIVE MODE')
  const began = performance.now()
  await expect(requestInTime(verdict, dropped)).rejects.toThrow('no answer within')
  expect(performance.now() - began).toBeLessThan(20_000)
  await holder.query('COMMIT')
  holder.release()
  // A ticket that was stored after all is withdrawn.
  await expect.poll(() => fixture.openTickets()).toEqual([])
})

test('[A2.52] a ticket that can not be read any more denies, and is withdrawn once it can', async () => {
  const { kernel } = fixture.server
  const { decision, ticket } = await waiting()
  const holder = await kernel.pool.connect()
  await holder.query('BEGIN; LOCK TABLE tickets_ticket IN ACCESS EXCLUSIVE MODE')
  expect(words(await decision)).toMatch(/could not be found out, so it was not run$/)
  await holder.query('COMMIT')
  holder.release()
  await expect.poll(() => fixture.openTickets()).toEqual([])
  const { body } = await fixture.person.get(`/api/v1/tickets/comments/?ticket_id=${ticket}`)
  expect(body.at(-1)).toMatchObject({
    user_display: 'System',
    body: 'Closed, as the server could not follow it to its end',
  })
})

// Last: who was disabled must sign in again.
test('[A2.52] all reviewers disabled while the ticket waits: denied, said plainly', async () => {
  const { decision } = await waiting()
  const turn = async (is_active: boolean) => {
    for (const { id } of fixture.reviewers)
      await fixture.server.admin.patch(`/api/v1/users/users/${id}/`, { is_active })
  }
  await turn(false)
  await settleCommandReviews(fixture.server.kernel)
  expect(words(await decision)).toMatch(/nobody is left who could: it was not run$/)
})
