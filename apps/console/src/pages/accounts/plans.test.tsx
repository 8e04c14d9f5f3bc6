import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedbackHost } from '../../design/dialogs/feedback.tsx'
import { serve, signIn } from '../../test/harness.tsx'
import { rehearsePlan, runPlan } from './plans/plan-runs.ts'
import { scheduleWords } from './schedule-words.ts'

const at = (crontab: string | null, interval: number | null = null, is_periodic = true) =>
  scheduleWords({ is_periodic, crontab, interval })

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A5.09] a schedule is said in words where a short sentence tells it; the clock wins over hours', () => {
  expect([
    at('5 4 * * *', 3),
    at('30 3 * * 0'),
    at('30 3 * * 7'),
    at('0 2 1 * *'),
    at('*/5 * * * *'),
    at('0 0 1 1 *'),
    at(null, 24),
    at(null, 1),
    at('5 4 * * *', 3, false),
  ]).toEqual([
    'Every day at 04:05',
    'Every Sunday at 03:30',
    'Every Sunday at 03:30',
    'On day 1 of every month at 02:00',
    'Every 5 minutes',
    '0 0 1 1 *',
    'Every 24 hours',
    'Every 1 hour',
    'Run manually',
  ])
})

test('a plan changes secrets once that was confirmed, and not before; a rehearsal needs no question', async () => {
  const calls = serve(() => ({ body: { task: 'r1' } }))
  render(<FeedbackHost />)
  const row = { id: 'p1', name: 'Nightly' }
  const page = { refresh: async () => {}, go: vi.fn() }
  const sent = () => calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
  await runPlan(row, page)
  const question = await screen.findByRole('alertdialog')
  expect([question.textContent?.includes('Nightly'), sent()]).toEqual([true, []])
  await userEvent.click(within(question).getAllByRole('button').at(-1) as HTMLElement)
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  await rehearsePlan(row, page)
  expect(sent()).toEqual([
    { plan: 'p1', is_rehearsal: false },
    { plan: 'p1', is_rehearsal: true },
  ])
  expect(screen.queryByRole('alertdialog')).toBeNull()
})
