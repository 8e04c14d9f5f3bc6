import { PAGE_ROLE } from '@sallyport/contract/access.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { inRange } from './addresses.ts'
import { Dashboard } from './Dashboard.page.tsx'

const SESSIONS = '/api/v1/terminal/sessions/'
const PAGES = {
  SessionList: '/terminal/sessions',
  SessionDetail: '/terminal/sessions/:id',
  UserList: '/users/users',
  UserDetail: '/users/users/:id',
  AssetList: '/assets/assets',
  AssetCreate: '/assets/assets/create',
  AssetPermissionList: '/perms/asset-permissions',
  CommandList: '/terminal/commands',
  LoginLog: '/audits/login-log',
  TicketList: '/tickets/tickets',
}

const FIGURES = {
  total_count_users: 12,
  total_count_assets: 30,
  total_count_online_users: 1,
  total_count_online_sessions: 2,
  dates_metrics_date: ['01-25', '01-26', '01-27', '01-28', '01-29', '01-30', '01-31'],
  dates_metrics_total_count_login: [4, 0, 7, 3, 5, 1, 2],
  dates_metrics_total_count_active_users: [2, 0, 3, 3, 2, 1, 1],
  dates_metrics_total_count_active_assets: [4, 0, 6, 3, 5, 1, 2],
  dates_total_count_login_times: 22,
  dates_total_count_active_users: 5,
  dates_total_count_inactive_users: 7,
  dates_total_count_disabled_users: 1,
  dates_total_count_active_assets: 9,
  dates_total_count_inactive_assets: 21,
  dates_total_count_disabled_assets: 0,
  dates_login_times_top10_users: [{ user_id: 'u7', user: 'Ben(ben)', total: 9 }],
  dates_login_times_top10_assets: [{ asset: 'web-1(10.0.0.1)', total: 6 }],
}

const LIVE = {
  id: 's1',
  user: 'Ben(ben)',
  asset: 'web-1(10.0.0.1)',
  system_user: 'deploy(deploy)',
  login_from_display: 'Web Terminal',
  can_join: true,
  date_start: '2026/01/31 09:00:00 +0000',
}

const NONE = { count: 0, results: [] }

function answers({ path, query }: Call): { status?: number; body?: unknown } {
  if (path === '/api/v1/index/') return { body: FIGURES }
  if (path === SESSIONS) return { body: query.has('is_finished') ? { count: 2, results: [LIVE] } : NONE }
  if (path.endsWith('tree/'))
    return {
      body: [
        { id: 'root', pId: '' },
        { id: 'c1', pId: 'root' },
      ],
    }
  return { body: NONE }
}

const open = (pages: Readonly<Record<string, string>> = PAGES) =>
  show(<Dashboard title="Dashboard" />, '/dashboard', '/dashboard', pages)
/** The card of that heading. */
const card = async (title: string) =>
  within((await screen.findByRole('heading', { name: new RegExp(`^${title}`) })).closest('section') as HTMLElement)
const queryOf = (link: HTMLElement) => new URLSearchParams(link.getAttribute('href')?.split('?')[1])

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers({ now: new Date(2026, 0, 31, 15), toFake: ['Date'] })
  signIn()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[A2.07] live sessions come first, with a way to watch', async () => {
  serve(answers)
  open()
  const live = await card('Live now')
  await live.findByRole('button', { name: 'Monitor' })
  expect(live.getByRole('link', { name: /Ben ben.* web-1 10.0.0.1/ }).getAttribute('href')).toBe(
    '/terminal/sessions/s1',
  )
  // Without dates: what lives may have begun long ago.
  expect(Object.fromEntries(queryOf(live.getByRole('link', { name: 'Live now' })))).toEqual({ activeTab: 'OnlineList' })
})

test('[A2.07] each day is a bar from zero; today is marked as not over, and a bar leads to the sessions of its day', async () => {
  serve(answers)
  open()
  const overview = await card('Sessions overview')
  const today = await overview.findByRole('link', { name: 'Sessions: Saturday, Jan 31: 2 until now' })
  expect(today.className).toContain('unfinished')
  const before = overview.getByRole('link', { name: 'Sessions: Friday, Jan 30: 1' })
  expect(before.className).not.toContain('unfinished')
  const [from, to] = ['date_from', 'date_to'].map((name) => new Date(queryOf(before).get(name) ?? ''))
  expect([from, to]).toEqual([new Date(2026, 0, 30), new Date(new Date(2026, 0, 31).getTime() - 1)])
  // Today's run for the most part, and others have ended: the number is of both.
  expect(queryOf(today).get('activeTab')).toBe('AllList')
  // A day without sessions has nothing to see.
  expect(overview.queryByRole('link', { name: /Sessions: .*Jan 26/ })).toBeNull()
  expect(overview.getByRole('img', { name: 'Sessions: Monday, Jan 26: 0' })).toBeTruthy()
  const [bars] = overview.getAllByRole('figure')
  expect([...(bars?.querySelector('[aria-hidden]')?.children ?? [])].map((tick) => tick.textContent)).toEqual([
    '0',
    '5',
    '10',
  ])
})

test('[A2.07] the bars of a chart are one stop of the tab key; arrows go from day to day', async () => {
  serve(answers)
  open()
  const overview = await card('Sessions overview')
  const today = await overview.findByRole('link', { name: /^Sessions: .*Jan 31/ })
  const sessions = overview.getAllByRole('link', { name: /^Sessions: / })
  expect(sessions.map((link) => link.tabIndex)).toEqual([-1, -1, -1, -1, -1, 0])
  today.focus()
  await userEvent.keyboard('{ArrowLeft}')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Sessions: Friday, Jan 30: 1')
})

test('[A2.07] numbers lead to the lists that they count', async () => {
  serve(answers)
  open()
  expect((await screen.findByRole('link', { name: '12' })).getAttribute('href')).toBe('/users/users')
  expect(screen.getByRole('link', { name: '30' }).getAttribute('href')).toBe('/assets/assets')
  const overview = await card('Sessions overview')
  const week = { activeTab: 'AllList', ...inRange([new Date(Date.now() - 7 * 86_400_000), new Date()]) }
  expect(Object.fromEntries(queryOf(await overview.findByRole('link', { name: '22' })))).toEqual(week)
  const live = await card('Live now')
  expect(queryOf(await live.findByRole('link', { name: '2' })).get('activeTab')).toBe('OnlineList')
  const users = await card('Most active users')
  expect((await users.findByRole('link', { name: 'Ben ben' })).getAttribute('href')).toBe('/users/users/u7')
  const ofBen = queryOf(users.getByRole('link', { name: '9 sessions of Ben(ben)' }))
  expect(Object.fromEntries(ofBen)).toEqual({ ...week, user: 'Ben(ben)' })
  const assets = await card('Most used assets')
  const used = await assets.findByRole('link', { name: '6 sessions of web-1(10.0.0.1)' })
  expect(queryOf(used).get('asset')).toBe('web-1(10.0.0.1)')
  const disabled = screen.getAllByRole('link', { name: '1' }).find((link) => queryOf(link).get('is_active') === 'false')
  expect(disabled?.getAttribute('href')).toBe('/users/users?is_active=false')
})

test('[A2.07 A6.16] an auditor reads what happened, and is not asked what only administrators decide', async () => {
  signIn({ bits: PAGE_ROLE.OrgAuditor, role: PAGE_ROLE.OrgAuditor })
  const calls = serve(answers)
  open({ SessionList: '/terminal/sessions', CommandList: '/terminal/commands', LoginLog: '/audits/login-log' })
  await (await card('Live now')).findByRole('button', { name: 'Monitor' })
  await screen.findByText('No failed sign-in')
  expect(screen.queryByRole('heading', { name: /Pending approval|Not reachable/ })).toBeNull()
  expect(await screen.findByText('30')).toBeTruthy()
  expect(screen.queryByRole('link', { name: '30' })).toBeNull()
  const read = new Set(calls.map(({ path }) => path.split('/')[3]))
  expect([...read].toSorted()).toEqual(['audits', 'index', 'terminal'])
})

test('[A2.07] an announcement is above all, by its subject or its content alone, until it is closed', async () => {
  serve(answers)
  const announced = async (ANNOUNCEMENT: object, settings = {}) => {
    cleanup()
    signIn({ settings: { ANNOUNCEMENT_ENABLED: true, ANNOUNCEMENT, ...settings } })
    open()
    await screen.findByRole('heading', { name: /^Live now/ })
  }
  await announced({ ID: '1', SUBJECT: 'Sunday', CONTENT: '', LINK: '' }, { ANNOUNCEMENT_ENABLED: false })
  expect(screen.queryByText('Sunday')).toBeNull()
  await announced({ ID: '1', SUBJECT: 'Sunday', CONTENT: '', LINK: '' })
  expect(screen.getByText('Sunday')).toBeTruthy()
  await announced({ ID: '1', SUBJECT: '', CONTENT: 'We move house', LINK: 'https://news.example/' })
  expect(screen.getByText('Announcement')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'View more' }).getAttribute('href')).toBe('https://news.example/')
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect([screen.queryByText('We move house'), localStorage.getItem('AnnouncementViewed')]).toEqual([null, '1'])
  await announced({ ID: '1', SUBJECT: '', CONTENT: 'We move house', LINK: '' })
  expect(screen.queryByText('We move house')).toBeNull()
})

test('a part that fails says so in its place, and is tried again alone', async () => {
  let isAway = true
  const calls = serve((call) =>
    isAway && call.path === SESSIONS && call.query.has('is_finished')
      ? { status: 500, body: { detail: 'The database is away.' } }
      : answers(call),
  )
  open()
  const live = await card('Live now')
  await live.findByText('The database is away.')
  await (await card('Sessions overview')).findByRole('link', { name: /^Sessions: .*Jan 31/ })
  isAway = false
  const before = calls.length
  await userEvent.click(live.getByRole('button', { name: 'Try again' }))
  await live.findByRole('button', { name: 'Monitor' })
  // The guide's own questions may come at any time.
  const again = calls.slice(before)
  const ofPart = again.filter(({ path, query }) => path === SESSIONS && query.has('is_finished'))
  expect([ofPart.length, again.some(({ path }) => path === '/api/v1/index/')]).toEqual([1, false])
})

test('a new installation has no chart of nothing, and says how to begin', async () => {
  const nothing = Object.fromEntries(
    Object.entries(FIGURES).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? 0
        : name.includes('top10')
          ? []
          : value.map((one) => (typeof one === 'number' ? 0 : one)),
    ]),
  )
  serve((call) =>
    call.path === '/api/v1/index/' ? { body: nothing } : { body: call.path.endsWith('tree/') ? [] : NONE },
  )
  open()
  await screen.findByText('No sessions in this period')
  expect(screen.queryByRole('figure')).toBeNull()
  await screen.findByText('Nobody is connected')
  await screen.findByRole('region', { name: 'Get started' })
})

test('system administrators see the last good backup, why one failed, and how to set backups up', async () => {
  const status = {
    state: 'good',
    place: '/mnt/backup',
    date_good: '2026/01/31 02:30:00 +0000',
    date_failed: null,
    error: '',
  }
  let now: object = { ...status, date_next: '2026/02/01 02:30:00 +0000' }
  serve((call) => (call.path === '/api/v1/backups/status/' ? { body: now } : answers(call)))
  open()
  const backups = await card('Backups')
  await backups.findByText(/^The last good backup is of .*2026.*\(.*ago\)/)
  expect(backups.getByText(/^The next one is made on .* in \/mnt\/backup/)).toBeTruthy()
  cleanup()

  now = { ...status, state: 'failed', date_failed: '2026/01/31 03:00:00 +0000', error: 'no room' }
  open()
  const failed = await card('Backups')
  const words = await failed.findByText(/^The backup of .* failed: no room$/)
  expect(words.parentElement?.className).toContain('isWrong')
  cleanup()

  now = { ...status, state: 'off', date_good: null, date_next: null }
  open()
  const off = await card('Backups')
  const how = await off.findByText(/set SALLYPORT_BACKUP/)
  expect(how.parentElement?.className).not.toContain('isWrong')
  cleanup()

  signIn({ bits: PAGE_ROLE.OrgAuditor, role: PAGE_ROLE.OrgAuditor })
  open()
  await card('Live now')
  expect(screen.queryByRole('heading', { name: 'Backups' })).toBeNull()
})
