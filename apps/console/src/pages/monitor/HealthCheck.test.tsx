import type { Finding, Health, NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { HealthCheck } from './HealthCheck.page.tsx'

const finding = (name: string, state: Finding['state'], more: Partial<Finding> = {}): Finding => ({
  ...{ name, title: `Title of ${name}`, subject: '', state, words: `Words of ${name}.`, mend: '', ...more },
})
const node = (name: string, more: Partial<NodeHealth> = {}): NodeHealth => ({
  ...{ id: name, name, state: 'done', date_started: '2026/01/31 09:00:00 +0000' },
  ...{ date_finished: '2026/01/31 09:00:03 +0000', total: 2, done: 2, findings: [], ...more },
})
const NEW = node('gate-1', { state: 'never', date_started: null, date_finished: null, done: 0 })

/** The answers one after the other, the last one from then on. */
function answerWith(...answers: (readonly NodeHealth[] | number)[]) {
  return serve(({ path }) => {
    if (!path.startsWith('/api/v1/doctor/')) return undefined
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    return typeof answer === 'number' ? { status: answer } : { body: { nodes: answer } satisfies Partial<Health> }
  })
}
const open = () => show(<HealthCheck title="Health check" />, '/xpack/health-check', '/xpack/health-check')

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('before the first run there is one button; pressed, findings come until all are there', async () => {
  const problem = finding('ports', 'error', { subject: 'SALLYPORT_HTTP_PORT', mend: 'Stop what listens there.' })
  const calls = answerWith(
    [NEW],
    [node('gate-1', { state: 'running', date_finished: null, done: 1, findings: [finding('disk', 'ok')] })],
    [node('gate-1', { findings: [problem, finding('disk', 'ok')] })],
  )
  open()
  expect(await screen.findByText('Not run since the last start')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Run' }))
  expect(await screen.findByText('1 of 2 checks')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Progress' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Run again' }).getAttribute('aria-busy')).toBe('true')
  expect(await screen.findByText('1 wrong')).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
  const panel = within(screen.getByRole('region', { name: 'gate-1' }))
  expect(panel.getByText('Stop what listens there.')).toBeTruthy()
  expect(panel.getByText('SALLYPORT_HTTP_PORT')).toBeTruthy()
  expect(calls.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual(['/api/v1/doctor/run/'])
})

test('each node has its findings, and one that does not answer counts as wrong', async () => {
  answerWith([
    node('gate-1', {
      findings: [finding('memory', 'warning', { mend: 'More memory.' }), finding('mail', 'not checked')],
    }),
    node('gate-2', { state: 'unreachable', total: 0, done: 0 }),
  ])
  open()
  expect(await screen.findByText('1 wrong')).toBeTruthy()
  const first = within(screen.getByRole('region', { name: 'gate-1' }))
  expect(first.getByText('Look at it')).toBeTruthy()
  expect(first.getByText('0 fine, 1 not checked')).toBeTruthy()
  expect(first.getByText('0 fine, 1 not checked').closest('details')?.open).toBe(false)
  expect(within(screen.getByRole('region', { name: 'gate-2' })).getByText(/does not answer the others/)).toBeTruthy()
})

test('where nothing is wrong the page says so and shows what was looked at', async () => {
  answerWith([node('gate-1', { findings: [finding('disk', 'ok')] })])
  open()
  expect(await screen.findByText('Nothing is wrong')).toBeTruthy()
  expect(screen.getByText('Words of disk.').closest('details')?.open).toBe(true)
})

test('a page that cannot be read offers to try again', async () => {
  answerWith(500, [node('gate-1', { findings: [finding('disk', 'ok')] })])
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Nothing is wrong')).toBeTruthy()
})
