import type { MoveReport, MoveRun } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { MoveIn } from './Moving.page.tsx'

const EMPTY: MoveReport = { current: null, latest: null, runs: [], installations: [] }
const run = (more: Partial<MoveRun> = {}): MoveRun => ({
  ...{ id: '1', task: 'try', state: 'done', fault: '', node_name: 'gate-1', asked_by: 'Anna(anna)' },
  ...{ source: 'mysql://reader@db:3306/jumpserver', version: '3.10', stage: '', stages_done: 9, stages: 10, rows: 12 },
  ...{ date_started: '2026/01/31 09:00:00 +0000', date_finished: '2026/01/31 09:02:00 +0000' },
  ...{ has_report: true, has_differences: false, ...more },
})
const ended = (
  latest: MoveRun,
  result: NonNullable<MoveReport['latest']>['result'],
  more: Partial<MoveReport> = {},
) => ({
  ...{ ...EMPTY, latest: { ...latest, result }, runs: [latest], ...more },
})

/** The answers one after the other, the last one from then on. */
function answerWith(...answers: (MoveReport | { status: number; body?: unknown })[]) {
  return serve(({ path }) => {
    if (!path.startsWith('/api/v1/moving/jumpserver/')) return undefined
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    return answer && 'status' in answer ? answer : { body: answer }
  })
}
const posts = (calls: readonly Call[]) => calls.filter(({ method }) => method === 'POST')
const open = () => show(<MoveIn title="Move from JumpServer" />, '/xpack/move-in', '/xpack/move-in')

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a database is looked at by Enter, with its secrets in the body alone', async () => {
  const current = run({ task: 'look', state: 'running', stage: '', stages: 0, date_finished: null })
  const calls = answerWith(EMPTY, { ...EMPTY, current, runs: [current] })
  open()
  await userEvent.type(await screen.findByLabelText('Host'), 'db')
  await userEvent.type(screen.getByLabelText('Username'), 'reader')
  await userEvent.type(screen.getByLabelText('Password'), 'read only')
  await userEvent.type(screen.getByLabelText('SECRET_KEY'), 'their key{Enter}')
  expect(await screen.findByRole('status', { name: 'Progress' })).toBeTruthy()
  const [post] = posts(calls)
  expect([post?.path, String(post?.query)]).toEqual(['/api/v1/moving/jumpserver/run/', ''])
  expect(post?.body).toMatchObject({
    ...{ task: 'look', engine: 'mysql', host: 'db', port: null, database: 'jumpserver', username: 'reader' },
    ...{ password: 'read only', secret_keys: ['their key'], encryption: 'none' },
  })
  expect(screen.queryByRole('button', { name: 'Compare who reaches what' })).toBeNull()
})

test('a refusal of the server is under its field', async () => {
  answerWith(EMPTY, { status: 400, body: { host: ['Enter a host name or an IP address.'] } }, EMPTY)
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Try the import' }))
  expect(await screen.findByText('Enter a host name or an IP address.')).toBeTruthy()
  expect(screen.getByLabelText('Host').getAttribute('aria-invalid')).toBe('true')
})

test('a trial says what comes and what stays behind, and that nothing was written', async () => {
  const kind = { label: 'Users', read: 10, added: 9, updated: 0, same: 0, behind: 1, changed: [] }
  const stays = [{ count: 3, lines: [{ words: 'A component', names: ['koko'] }] }]
  const proof = { people: 4, rights: 20, lost: 1, gained: 0, causes: [{ words: 'The target has not come', count: 1 }] }
  answerWith(ended(run(), { kinds: [{ ...kind, stays }], proof }))
  open()
  const result = within(await screen.findByRole('region', { name: 'Result' }))
  expect(result.getByText('It was only tried: nothing was written.')).toBeTruthy()
  expect(result.getByText('Users do not reach the same as there: 1 rights are lost, 0 are gained.')).toBeTruthy()
  expect(result.getByText('The target has not come: 1')).toBeTruthy()
  await userEvent.click(result.getByText('Stays behind (3)'))
  expect(result.getByText(/A component/).textContent).toBe('A component: koko … and 2 more')
})

test('an import is asked about first, and taking it back even more', async () => {
  const calls = answerWith(ended(run({ task: 'import' }), {}, { installations: ['jumpserver'] }))
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Import' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(
    dialog.getByText('Sallyport goes on meanwhile. Make a backup first. The import can be taken back.'),
  ).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(posts(calls)).toEqual([])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: 'Take back' }))
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Take back' }))
  await waitFor(() => expect(posts(calls)[0]?.body).toEqual({ task: 'take_back', installation: 'jumpserver' }))
})

test('a page that is opened again shows how far the run is', async () => {
  const current = run({ task: 'import', state: 'running', stage: 'Assets', stages_done: 2, rows: 1200 })
  answerWith({ ...EMPTY, current, runs: [current] })
  open()
  expect(await screen.findByText(/Part 3 of 10: Assets\. 1,?200 rows read\./)).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Progress' }).getAttribute('aria-valuenow')).toBe('20')
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
