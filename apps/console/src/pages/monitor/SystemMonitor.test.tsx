import type { MonitorHistory, MonitorNow } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { areaOf, lineOf } from './chart-paths.ts'
import { SystemMonitor } from './SystemMonitor.page.tsx'

const PAGES = {
  AuditEvidence: '/audits/evidence',
  JobMonitor: '/ops/monitor',
  Settings: '/settings',
  TerminalList: '/terminal/terminal',
}
const NODE = { id: 'n1', name: 'gate-1', roles: ['api'], date_seen: '2026/01/31 09:00:00 +0000' } as const
const NOW: MonitorNow = {
  state: 'attention',
  date: '2026/01/31 09:00:00 +0000',
  alarms: [
    {
      id: 'a1',
      kind: 'events_dropped',
      subject: '',
      text: 'Audit events were dropped.',
      value: 7,
      limit: null,
      date_opened: '2026/01/31 08:58:00 +0000',
      date_closed: null,
    },
  ],
  nodes: [
    { ...NODE, state: 'running', figures: { cpu: 97.3, memory: 40, sessions: 3, process_memory: 2.1e8 } },
    { ...NODE, id: 'n2', name: 'gate-2', state: 'silent', figures: null },
  ],
  figures: { sessions: 3, jobs_waiting: 2, jobs_oldest: 7200, database_bytes: 94e6, events_dropped: 7 },
  storages: [],
  limits: { cpu: 90, jobs_oldest: 600 },
  alarm_minutes: 5,
}
const COMPONENT = { type: 'koko', total: 4, normal: 3, high: 0, critical: 0, offline: 1, session_active: 2 }

/** The last three minutes of an hour. */
const history = (figures: Readonly<Record<string, number[]>>): MonitorHistory => ({
  from: Date.UTC(2026, 0, 31, 8),
  step: 1,
  points: 60,
  series: Object.fromEntries(
    Object.entries(figures).map(([name, last]) => {
      const values = [...Array<null>(60 - last.length).fill(null), ...last]
      return [name, { mean: values, peak: values }]
    }),
  ),
})

function answers({ path, query }: Call): { status?: number; body?: unknown } | undefined {
  if (path.endsWith('system-monitor/now/')) return { body: NOW }
  if (path.endsWith('history/'))
    return { body: query.has('node') ? history({ cpu: [10, 20, 97.3] }) : history({ sessions: [1, 2, 3] }) }
  if (path.endsWith('alarms/')) return { body: { count: 0, results: [] } }
  if (path.endsWith('components/metrics/')) return { body: [COMPONENT, { ...COMPONENT, type: 'lion', total: 0 }] }
  return undefined
}

const open = () =>
  show(<SystemMonitor title="System monitor" />, '/xpack/system-monitor', '/xpack/system-monitor', PAGES)

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.61] faults come first, in words, each with the page that explains it', async () => {
  serve(answers)
  open()
  expect(await screen.findByText('Needs attention')).toBeTruthy()
  const alarms = within(screen.getByRole('region', { name: 'Alarms' }))
  expect(alarms.getByText('Audit events were dropped.')).toBeTruthy()
  expect(alarms.getByRole('link', { name: 'View' }).getAttribute('href')).toBe('/audits/evidence?activeTab=Forwarding')
  expect(screen.getByRole('link', { name: 'Alarm limits' }).getAttribute('href')).toBe('/settings?activeTab=Monitor')
  const jobs = screen.getAllByRole('link', { name: 'Jobs due' })[0]
  expect(jobs?.getAttribute('href')).toBe('/ops/monitor?activeTab=Queues')
  expect(jobs?.closest('div')?.querySelector('dd.bad')?.textContent).toBe('2oldest 2 h')
})

test('each node says its state and its figures, those above their limit as such', async () => {
  serve(answers)
  open()
  const table = within(await screen.findByRole('table', { name: 'Nodes' }))
  const [, first, second] = table.getAllByRole('row')
  expect(within(first as HTMLElement).getByText('97.3%').className).toBe('bad')
  expect(within(first as HTMLElement).getByText('40%').className).toBe('')
  expect(within(second as HTMLElement).getByText('Does not answer')).toBeTruthy()
})

test('charts are of the chosen node and range; a moment is read by the keyboard', async () => {
  const calls = serve(answers)
  open()
  const cpu = (await screen.findByRole('slider', { name: 'CPU' })) as HTMLInputElement
  expect(cpu.getAttribute('aria-valuetext')).toMatch(/: 97\.3%$/)
  fireEvent.change(cpu, { target: { value: '58' } })
  expect(cpu.getAttribute('aria-valuetext')).toMatch(/: 20%$/)
  fireEvent.change(cpu, { target: { value: '3' } })
  expect(cpu.getAttribute('aria-valuetext')).toMatch(/: not measured$/)
  await userEvent.click(screen.getByRole('button', { name: '30 days' }))
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Node' }), 'gate-2')
  const asked = () => calls.filter(({ path }) => path.endsWith('history/')).map(({ query }) => String(query))
  await expect.poll(asked).toContain('range=month&node=n2')
  expect(asked()).toContain('range=month')
})

test('a card for each type of component says how many are in which state', async () => {
  serve(answers)
  open()
  const heading = await screen.findByRole('heading', { name: /\( 4 \)/ })
  const card = within(heading.closest('article') as HTMLElement)
  expect(card.getByText('75.00%')).toBeTruthy()
  expect(card.getByRole('link', { name: 'Offline 1' }).getAttribute('href')).toBe('/terminal/terminal?status=offline')
  expect(card.getByText('Live sessions: 2')).toBeTruthy()
  expect(screen.queryByRole('heading', { name: /\( 0 \)/ })).toBeNull()
})

test('before anything was measured the page says when it will be; what cannot be read can be asked for again', async () => {
  let isBroken = true
  serve((call) => {
    if (!call.path.endsWith('now/')) return answers(call)
    if (isBroken) return { status: 500, body: { detail: 'The database does not answer', code: 'error' } }
    return { body: { ...NOW, state: 'unknown', date: null, alarms: [], figures: null } }
  })
  open()
  const again = await screen.findByRole('button', { name: 'Try again' })
  isBroken = false
  await userEvent.click(again)
  expect(await screen.findByText('The first figures come within a minute after the start.')).toBeTruthy()
  expect(screen.getByText('Not measured yet')).toBeTruthy()
  expect(await screen.findByText('No alarm in the last 90 days')).toBeTruthy()
})

test('a line is interrupted where nothing was measured', () => {
  expect(lineOf([null, 10, 5, null, 0], 10)).toBe('M1 0L2 50M4 100h0')
  expect(areaOf([null, 10, 5, null], 10)).toBe('M1 100L1 0L2 50L2 100Z')
  expect([lineOf([null], 1), areaOf([], 1)]).toEqual(['', ''])
})
