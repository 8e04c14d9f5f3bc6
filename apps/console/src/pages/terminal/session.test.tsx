import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { durationOf } from './duration.ts'
import { SessionCommands } from './SessionCommands.tsx'
import { SessionList } from './SessionList.page.tsx'

const row = {
  id: 's1',
  user: 'Ada(ada)',
  asset: 'web-1(10.0.0.1)',
  system_user: 'deploy(deploy)',
  login_from: 'WT',
  protocol: 'ssh',
  can_terminate: true,
  can_join: true,
  can_replay: false,
  is_finished: false,
  date_start: '2026/01/31 09:00:00 +0000',
  date_end: null,
}

function sessionServer({ method }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(session) }
  if (method === 'POST') return { body: { ok: ['s1'] } }
  return { body: { count: 1, next: null, previous: null, results: [row] } }
}

const open = () =>
  show(<SessionList title="Sessions" />, '/terminal/sessions', '/terminal/sessions', {
    SessionDetail: '/terminal/sessions/:id',
  })

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A4.02] the live tab lists what is not finished, however long ago it began; past ones are those of some days', async () => {
  const calls = serve(sessionServer)
  const lists = () => calls.filter(({ method, path }) => method === 'GET' && path === session.path)
  open()
  await screen.findByText('Ada')
  expect(lists()[0]?.query.get('is_finished')).toBe('0')
  expect(lists()[0]?.query.has('date_from')).toBe(false)
  expect(screen.queryByRole('group', { name: 'Date range' })).toBeNull()

  await userEvent.click(screen.getByRole('tab', { name: 'Past' }))
  await waitFor(() => expect(lists().at(-1)?.query.get('is_finished')).toBe('1'))
  const { query } = lists().at(-1) as Call
  expect(Date.parse(query.get('date_from') ?? '')).toBeLessThan(Date.parse(query.get('date_to') ?? ''))
})

test('[A4.02] all sessions are in one list as well: what runs is watched there, what has ended is replayed', async () => {
  const past = { ...row, id: 's2', user: 'Bea(bea)', is_finished: true, can_terminate: false, has_replay: true }
  const calls = serve((call) =>
    call.method === 'GET'
      ? { body: { count: 2, next: null, previous: null, results: [row, { ...past, can_replay: true }] } }
      : sessionServer(call),
  )
  open()
  await userEvent.click(await screen.findByRole('tab', { name: 'All sessions' }))
  const actionsOf = async (person: string) => {
    const line = (await screen.findByText(person)).closest('tr') as HTMLElement
    return within(line)
      .getAllByRole('button')
      .map((button) => button.textContent)
  }
  await waitFor(async () => expect(await actionsOf('Bea')).toEqual(['Replay', 'Download']))
  expect(await actionsOf('Ada')).toEqual(['Monitor', 'Terminate'])
  expect(
    calls.findLast(({ method, path }) => method === 'GET' && path === session.path)?.query.has('is_finished'),
  ).toBe(false)
})

test('the person of a session leads to its page, and no column only counts the rows', async () => {
  serve(sessionServer)
  open()
  const link = await screen.findByRole('link', { name: /^Ada/ })
  expect(link.getAttribute('href')).toBe('/terminal/sessions/s1')
  expect(screen.queryByRole('columnheader', { name: 'No.' })).toBeNull()
})

test('Terminate asks first, then orders the end of that session alone', async () => {
  const calls = serve(sessionServer)
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'Terminate' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(calls.some(({ method }) => method === 'POST')).toBe(false)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Terminate' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'POST')).toMatchObject({
      path: '/api/v1/terminal/tasks/kill-session/',
      body: ['s1'],
    }),
  )
})

test('an auditor watches, but cannot terminate', async () => {
  serve(sessionServer)
  signIn({ bits: 2, role: 2 })
  open()
  expect(isGreyed(await screen.findByRole('button', { name: 'Terminate' }))).toBe(true)
  expect(isGreyed(screen.getByRole('button', { name: 'Monitor' }))).toBe(false)
})

test('[B8.19] the session of an RDP client cannot be watched, and says why', async () => {
  serve((call) => {
    if (call.method === 'OPTIONS') return sessionServer(call)
    const native = { ...row, login_from: 'RT', can_join: false }
    return { body: { count: 1, next: null, previous: null, results: [native] } }
  })
  open()
  const monitor = await screen.findByRole('button', { name: 'Monitor' })
  expect([isGreyed(monitor), monitor.getAttribute('aria-description')]).toEqual([
    true,
    'Sessions of RDP clients cannot be watched yet',
  ])
})

test('a recording that cannot be played is offered for download alone', async () => {
  serve((call) => {
    if (call.method === 'OPTIONS') return sessionServer(call)
    const finished = { ...row, is_finished: true, has_replay: true, can_join: false, can_terminate: false }
    return { body: { count: 1, next: null, previous: null, results: [finished] } }
  })
  open()
  await userEvent.click(await screen.findByRole('tab', { name: 'Past' }))
  const replay = await screen.findByRole<HTMLButtonElement>('button', { name: 'Replay' })
  expect(isGreyed(replay)).toBe(true)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Download' }).disabled).toBe(false)
})

test('a duration is as people say it, and goes on while the session runs', () => {
  expect(durationOf({ date_start: '2026/01/31 09:00:00 +0000', date_end: '2026/01/31 10:30:00 +0000' })).toBe(
    '1 h 30 min',
  )
  vi.setSystemTime('2026-01-31T09:45:00Z')
  expect(durationOf({ date_start: '2026/01/31 09:00:00 +0000', date_end: null })).toBe('45 min')
  vi.useRealTimers()
})

test('[A2.37] a session of a database client is looked at as its statements in time: newest first while it runs, each opened whole, looked through by words', async () => {
  const begun = Date.parse('2026-01-31T09:00:00Z') / 1000
  const run = { id: 'c1', input: 'select 1', output: '1 rows', risk_level: 0, timestamp: begun + 90, session: 's1' }
  const statement = { ...run, statement_length: 9, database: 'shop', milliseconds: 3.25, rows: 1 }
  const client = { ...row, login_from: 'DT', protocol: 'postgresql', can_join: false }
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(path === command.path ? command : session) }
    if (path.endsWith('/c1/statement/'))
      return {
        body: { text: 'select 1\n-- all of it', bytes: 70_000, sha256: 'abc', database: 'shop', program: 'psql' },
      }
    if (path === command.path) return { body: { count: 1, next: null, previous: null, results: [statement] } }
    return { body: path === session.path ? { count: 1, next: null, previous: null, results: [client] } : client }
  })
  const { router } = open()
  await userEvent.click(await screen.findByRole('button', { name: 'Monitor' }))
  await waitFor(() => expect(router.state.location.search).toBe('?activeTab=Command'))
  expect(router.state.location.pathname).toBe('/terminal/sessions/s1')
  cleanup()
  show(<SessionCommands row={client as never} refresh={async () => {}} />, '/', '/')
  const line = within((await screen.findByText('select 1')).closest('tr') as HTMLElement)
  for (const text of ['1 min 30 s', '3.3 ms', 'shop']) line.getByText(text)
  const asked = calls.find(({ path, query }) => path === command.path && query.has('session_id'))?.query
  expect([asked?.get('session_id'), asked?.get('order')]).toEqual(['s1', '-timestamp'])
  await userEvent.click(line.getByRole('button', { name: /select 1/ }))
  expect((await screen.findByText(/all of it/)).textContent).toBe('select 1\n-- all of it\n\n→ 1 rows')
  expect(screen.getByText('shop · psql · SHA-256 abc')).toBeDefined()
})
