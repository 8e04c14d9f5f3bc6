import type { CapacityReport, CapacityRun } from '@sallyport/contract/resources/monitor/capacity.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { Capacity } from './Capacity.page.tsx'

const CARRIES: NonNullable<CapacityReport['capacity']> = {
  people: 412,
  parts: [
    { part: 'processor', people: 412 },
    { part: 'sessions', people: 1000 },
    { part: 'memory', people: 4120 },
  ],
  sessions_a_minute: 1234,
  statements_a_second: 3456,
  hours_kept: 70_000,
}
const run = (id: string, more: Partial<CapacityRun> = {}): CapacityRun => ({
  ...{ id, node: 'gate-1', node_name: 'gate-1', state: 'done', fault: '', asked_by: 'Anna(anna)', done: 24, total: 24 },
  ...{ date_asked: '2026/01/31 09:00:00 +0000', date_finished: '2026/01/31 09:02:00 +0000' },
  ...{ figures: { key: 0.21, store_write: 120, free_disk: 12_000 }, capacity: CARRIES, machine: null, ...more },
})
const report = (more: Partial<CapacityReport> = {}): CapacityReport => ({
  nodes: [{ id: 'gate-1', name: 'gate-1', is_measurable: true }],
  ...{ newest: [], sentence: '', full_first: '', capacity: null, current: null, history: [], days: [], limit: 80 },
  titles: { key: 'Added to a key', store_write: 'Writing', free_disk: 'Free disk' } as CapacityReport['titles'],
  part_titles: { processor: 'Processor', sessions: 'Limit', memory: 'Memory' } as CapacityReport['part_titles'],
  ...more,
})
const MEASURED = report({
  ...{ newest: [run('2')], history: [run('2'), run('1', { figures: { key: 0.5 } })], capacity: CARRIES },
  ...{ sentence: '1 node carries about 410 people.', full_first: 'The processor is full first.' },
})

/** The answers one after the other, the last one from then on. */
function answerWith(...answers: (CapacityReport | number)[]) {
  return serve(({ path }) => {
    if (!path.startsWith('/api/v1/terminal/capacity/')) return undefined
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    return typeof answer === 'number' ? { status: answer } : { body: answer }
  })
}
const postsOf = (calls: readonly Call[]) =>
  calls.flatMap(({ method, path, query }) => (method === 'POST' ? `${path}${query.size ? `?${query}` : ''}` : []))
const open = () => show(<Capacity title="Capacity" />, '/xpack/capacity', '/xpack/capacity')

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('before the first measurement there is one button; pressed, it shows how far it is, then what is carried', async () => {
  const current = run('2', { state: 'running', done: 5, capacity: null, figures: {}, date_finished: null })
  const calls = answerWith(report(), report({ current, history: [current] }), MEASURED)
  open()
  expect(await screen.findByText('Never measured')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Measure now' }))
  expect(await screen.findByText('Step 5 of 24, asked for by Anna(anna)')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Progress' }).getAttribute('aria-valuenow')).toBe('21')
  expect(screen.getByRole('button', { name: 'Measure now' }).hasAttribute('disabled')).toBe(true)
  expect(await screen.findByText('1 node carries about 410 people.')).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
  expect(postsOf(calls)).toEqual(['/api/v1/terminal/capacity/run/?node=gate-1'])
})

test('the sentence comes first, then what is full first and how far the rest is by then, then the figures with earlier ones', async () => {
  answerWith(MEASURED)
  open()
  expect(await screen.findByText('The processor is full first.')).toBeTruthy()
  const parts = within(screen.getByRole('list', { name: 'Full by then' })).getAllByRole('listitem')
  expect(parts.map(({ textContent }) => textContent)).toEqual([
    'Processor410 people',
    'Limit1,000 people',
    'Memory4,100 people',
  ])
  expect(parts.map((part) => part.querySelector('i')?.style.inlineSize)).toEqual(['100%', '41%', '10%'])
  const rows = within(screen.getByRole('table', { name: 'Figures of gate-1' })).getAllByRole('row')
  expect(rows.slice(1).map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ['Writing', '120 MB/s', ''],
    ['Added to a key', '0.21 ms', '0.5 ms'],
    ['Free disk', '12 GB', ''],
  ])
})

test('a day that came near stands out, and a measurement that came to nothing says why', async () => {
  const day = { node: 'gate-1', node_name: 'gate-1', sessions: 350, opened: 12, commands: 3.25 }
  answerWith({
    ...MEASURED,
    days: [
      { ...day, day: '2026-01-31', percent: 85 },
      { ...day, day: '2026-01-30', percent: 20 },
    ],
    history: [run('3', { state: 'failed', fault: 'The disk is full.', capacity: null }), ...MEASURED.history],
  })
  open()
  const days = await screen.findByRole('table', { name: 'Busiest minute of each day' })
  expect(within(days).getByText('85%').hasAttribute('data-near')).toBe(true)
  expect(within(days).getByText('20%').hasAttribute('data-near')).toBe(false)
  const runs = screen.getByRole('table', { name: 'Measurements' })
  expect(within(runs).getByText('The disk is full.')).toBeTruthy()
})

test('a measurement is stopped, of several nodes one is chosen, and a page that cannot be read offers to try again', async () => {
  const nodes = ['gate-1', 'gate-2', 'api'].map((id) => ({ id, name: id, is_measurable: id !== 'api' }))
  const current = run('2', { state: 'running', done: 5, date_finished: null })
  const calls = answerWith(500, { ...MEASURED, nodes }, { ...MEASURED, nodes, current }, { ...MEASURED, nodes })
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  const choice = await screen.findByRole('combobox')
  expect(
    within(choice)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['gate-1', 'gate-2'])
  await userEvent.selectOptions(choice, 'gate-2')
  await userEvent.click(screen.getByRole('button', { name: 'Measure now' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Stop' }))
  const posts = ['/api/v1/terminal/capacity/run/?node=gate-2', '/api/v1/terminal/capacity/cancel/']
  await waitFor(() => expect(postsOf(calls)).toEqual(posts))
})
