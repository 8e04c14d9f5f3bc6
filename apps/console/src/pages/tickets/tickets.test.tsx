import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TicketsLink } from '../../app/top-bar/TicketsLink.tsx'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { TicketList } from './TicketList.page.tsx'
import { ticketPages } from './ticket.page.tsx'

const ROUTES = {
  TicketList: '/tickets/tickets',
  TicketDetail: '/tickets/tickets/:id',
  AssetsTicketDetail: '/tickets/tickets/request-asset-perm/:id',
  ApplicationsTicketDetail: '/tickets/tickets/request-application-perm/:id',
  LoginAssetTicketDetail: '/tickets/tickets/login-asset-confirm/:id',
  CommandConfirmDetail: '/tickets/tickets/command-confirm/:id',
  CommandFilterDetail: '/assets/cmd-filters/:id',
  AssetPermissionDetail: '/perms/asset-permissions/:id',
  ApplicationPermissionDetail: '/perms/app-permissions/:id',
  SessionDetail: '/terminal/sessions/:id',
}
const step = {
  approval_level: 1,
  state: 'notified',
  assignees: ['u1'],
  assignees_display: ['Ada(ada)'],
  approval_date: '',
  processor: '',
  processor_display: '',
}
const row = {
  id: 't1',
  serial_num: '202611210001',
  title: 'Login asset confirm web-1',
  type: 'login_asset_confirm',
  type_display: 'Login asset confirm',
  applicant: 'u2',
  applicant_display: 'Bob(bob)',
  status: 'open',
  state: 'open',
  approval_step: 1,
  process_map: [step],
  meta: { apply_login_asset: 'web-1(10.0.0.1)', apply_login_system_user: 'root(root)', apply_login_user: 'Bob(bob)' },
  org_id: 'o2',
  org_name: 'Default',
  comment: '',
  date_created: '2026/11/21 09:00:00 +0000',
  date_updated: '2026/11/21 09:00:00 +0000',
}

type Change = Omit<Partial<typeof row>, 'meta'> & { meta?: Record<string, unknown> }

function serveTicket(change: Change = {}, session?: object) {
  return serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(ticket) }
    if (path === ticketComment.path) return { body: [] }
    if (query.get('preview'))
      return { status: 400, body: { detail: 'Nobody gains anything here.', code: 'no_preview' } }
    if (path === `${ticket.path}t1/session/`) return session && { body: session }
    if (method === 'GET' && path === ticket.path) {
      const rows = query.get('assignees__id') === 'u1' ? [row] : []
      return { body: { count: rows.length, next: null, previous: null, results: rows } }
    }
    return { body: { ...row, ...change } }
  })
}
/** A paragraph by all its text, with that of the elements in it. */
const findSentence = (text: string) =>
  screen.findByText((_, element) => element?.tagName === 'P' && element.textContent === text)
const detail = (name: keyof typeof ROUTES = 'LoginAssetTicketDetail') =>
  show(
    <DetailPage pages={ticketPages} base={name.replace('Detail', '')} title="Ticket detail" />,
    ROUTES[name].replace(':id', 't1'),
    ROUTES[name],
    ROUTES,
  )

/** Asked for access, and decided on at two levels; Ada is at the first, Eve at the second. */
const request: Change = {
  title: 'Root for the night',
  type: 'apply_asset',
  type_display: 'Apply for asset',
  comment: 'The disk is full.',
  process_map: [step, { ...step, approval_level: 2, assignees: ['u3'], assignees_display: ['Eve(eve)'] }],
  meta: {
    apply_permission_name: 'Root for the night#t1',
    apply_nodes: [],
    apply_nodes_display: [],
    apply_assets: ['a1'],
    apply_assets_display: ['web-1(10.0.0.1)'],
    apply_system_users: ['s1'],
    apply_system_users_display: ['root(root)'],
    apply_actions: ['all', 'connect', 'upload_file', 'download_file', 'clipboard_copy', 'clipboard_paste'],
    apply_date_start: '2026-11-21 09:00:00',
    apply_date_expired: '2026-11-28 09:00:00',
  },
}

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Decides in the head of the page, in the dialog that asks for a comment. */
async function decide(verdict: 'Accept' | 'Reject', comment = '') {
  await userEvent.click(await screen.findByRole('button', { name: verdict }))
  const box = await screen.findByPlaceholderText('Your comment (optional)')
  if (comment) await userEvent.type(box, comment)
  await userEvent.click(within(box.closest('[role=dialog]') as HTMLElement).getByRole('button', { name: verdict }))
}

test('[A2.50] a reviewer reads what is asked for, decides in the head of the page, and a comment goes before the decision', async () => {
  const calls = serveTicket()
  detail()
  await findSentence('Bob bob wants to sign in to web-1 10.0.0.1 as root.')
  await screen.findByLabelText('Your comment')
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
  expect(screen.getByRole('list', { name: 'Assignees' }).textContent).toContain('Ada')
  await decide('Accept', 'Until noon.')
  await waitFor(() => expect(calls.some(({ method }) => method === 'PUT')).toBe(true))
  expect(
    calls
      .filter(({ method }) => method === 'POST' || method === 'PUT')
      .map(({ method, path, body }) => [method, path, body]),
  ).toEqual([
    ['POST', ticketComment.path, { body: 'Until noon.' }],
    ['PUT', `${ticket.path}t1/approve/`, {}],
  ])
})

test('[A4.01] the applicant may close the ticket and nothing else; on a closed one nobody does anything', async () => {
  signIn({ profile: { id: 'u2', name: 'Bob', username: 'bob', role: 'User' } as never })
  serveTicket()
  detail()
  expect(isGreyed(await screen.findByRole('button', { name: 'Close' }))).toBe(false)
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull()
  cleanup()
  serveTicket({ status: 'closed', state: 'closed' })
  const { queryClient } = await import('../../lib/query.ts')
  queryClient.clear()
  detail()
  expect(isGreyed(await screen.findByRole('button', { name: 'Close' }))).toBe(true)
})

test('[A2.49 A3.21] a request of two levels says what is asked for and who decides; what is not whole cannot be accepted; approved, it leads to its permission', async () => {
  let calls = serveTicket({ ...request, meta: { ...request.meta, apply_system_users: [] } })
  detail('AssetsTicketDetail')
  await findSentence(
    'Bob bob asks to use web-1 10.0.0.1 as root from 11/21/2026, 09:00:00 until 11/28/2026, 09:00:00. Allowed: All.',
  )
  for (const text of [
    'All',
    'Bob',
    'Apply for asset',
    'Default',
    'The disk is full.',
    'web-1',
    'root',
    '11/28/2026, 09:00:00',
  ])
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0)
  const [first, second] = ['Level 1', 'Level 2'].map((level) => screen.getByText(level).closest('li') as HTMLElement)
  expect([first, second].map((step) => step?.ariaCurrent)).toEqual(['step', null])
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }))
  expect(await screen.findByText(/names no assets or no system users/)).toBeDefined()
  expect(calls.some(({ method }) => method === 'PUT')).toBe(false)
  cleanup()
  calls = serveTicket(request)
  detail('AssetsTicketDetail')
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('Nobody gains anything here.')
  expect(calls.find(({ method }) => method === 'PUT')?.query.get('preview'), 'what it gives is asked first').toBe(
    'true',
  )
  await userEvent.click(dialog.getByRole('button', { name: 'Accept' }))
  const accepted = () => calls.find(({ method, query }) => method === 'PUT' && !query.has('preview'))
  await waitFor(() => expect(accepted()?.body).toEqual({ meta: {} }))
  cleanup()
  const approved = { state: 'approved', approval_date: '2026/11/21 10:00:00 +0000', processor_display: 'Eve(eve)' }
  serveTicket({
    ...request,
    status: 'closed',
    state: 'approved',
    approval_step: 2,
    process_map: [
      { ...step, ...approved },
      { ...step, ...approved, approval_level: 2 },
    ],
  })
  detail('AssetsTicketDetail')
  const link = await screen.findByRole('link', { name: 'Root for the night#t1' })
  expect(link.getAttribute('href')).toBe('/perms/asset-permissions/t1?oid=o2')
  expect(screen.getAllByText('Decided by Eve')).toHaveLength(2)
})

test('[A2.51 A3.21] a request for applications says of which type, and leads to its own kind of permission', async () => {
  const meta = {
    apply_permission_name: 'Stock#t1',
    apply_category: 'db',
    apply_category_display: 'Database',
    apply_type: 'postgresql',
    apply_type_display: 'PostgreSQL',
    apply_applications: ['d1'],
    apply_applications_display: ['stock(postgresql)'],
    apply_system_users: ['s1'],
    apply_system_users_display: ['report(report)'],
    apply_date_start: '2026-11-21 09:00:00',
    apply_date_expired: '2026-11-28 09:00:00',
  }
  const asked = { ...request, type: 'apply_application', type_display: 'Apply for application', meta }
  serveTicket({ ...asked, meta: { ...meta, apply_applications: [] } })
  detail('ApplicationsTicketDetail')
  await findSentence(
    'Bob bob asks to use stock postgresql as report from 11/21/2026, 09:00:00 until 11/28/2026, 09:00:00.',
  )
  expect(screen.getByText('Database / PostgreSQL')).toBeDefined()
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }))
  expect(await screen.findByText(/names no applications or no system users/)).toBeDefined()
  cleanup()
  const calls = serveTicket(asked)
  detail('ApplicationsTicketDetail')
  await decide('Accept')
  await waitFor(() => expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({ meta: {} }))
  cleanup()
  serveTicket({ ...asked, status: 'closed', state: 'approved' })
  detail('ApplicationsTicketDetail')
  const link = await screen.findByRole('link', { name: 'Stock#t1' })
  expect(link.getAttribute('href')).toBe('/perms/app-permissions/t1?oid=o2')
})

const command = {
  apply_run_user: 'Bob(bob)',
  apply_run_asset: 'web-1',
  apply_run_system_user: 'root',
  apply_run_command: 'cd /tmp &&\n  rm -rf x',
  apply_run_command_match: 'rm -rf',
  apply_from_session_id: 's9',
  apply_from_cmd_filter_rule_id: 'r7',
  apply_from_cmd_filter_id: 'f3',
  apply_from_cmd_filter_name: 'Dangerous',
  apply_from_cmd_filter_rule_priority: 20,
}

test('[A2.52] a reviewer reads the whole command with what the rule found in it, follows the rule, and is asked once more with the command', async () => {
  const calls = serveTicket({ type: 'command_confirm', meta: command })
  detail('CommandConfirmDetail')
  await findSentence('Bob bob wants to run this on web-1 as root:')
  const text = screen.getByText((_, element) => element?.tagName === 'PRE')
  expect(text.textContent).toBe(command.apply_run_command)
  expect(text.querySelector('mark')?.textContent).toBe('rm -rf')
  const rule = screen.getByRole('link', { name: 'Dangerous, priority 20' })
  expect(rule.getAttribute('href')).toBe('/assets/cmd-filters/f3?activeTab=rules&rule=r7&oid=o2')
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Let this command run?' }))
  expect(dialog.getByText((_, element) => element?.tagName === 'PRE').textContent).toBe(command.apply_run_command)
  expect(dialog.getByText('It runs at once on web-1 as root, once, exactly as shown here.')).toBeDefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Accept' }))
  await waitFor(() => expect(calls.some(({ path }) => path === `${ticket.path}t1/approve/`)).toBe(true))
})

test('[A2.52] a hostile command is text, whatever it holds, and hides nothing', async () => {
  const hostile = '<img src=x onerror=alert(1)>; echo "中文" \u202e\u3164 <script>alert(2)</script>'
  serveTicket({ type: 'command_confirm', meta: { ...command, apply_run_command: hostile } })
  detail('CommandConfirmDetail')
  const text = await screen.findByText((_, element) => element?.tagName === 'PRE')
  expect(text.textContent).toBe(hostile.replace('\u202e\u3164', '<U+202E><U+3164>'))
  expect(document.querySelector('img[src=x], pre script')).toBeNull()
})

test('[A2.52] the session of a waiting command is shown at once, and may be ended and watched by those who may anyway', async () => {
  const calls = serveTicket(
    { type: 'command_confirm', meta: command },
    {
      id: 's9',
      user: 'Bob',
      asset: 'web-1',
      system_user: 'root',
      protocol: 'ssh',
      remote_addr: '10.1.1.1',
      org_id: 'o2',
      is_finished: false,
      can_terminate: true,
      can_join: false,
    },
  )
  detail('CommandConfirmDetail')
  expect(await screen.findByRole('img', { name: 'Online' })).toBeDefined()
  const links = screen.getAllByRole('link', { name: 'The session on web-1' })
  expect(links.map((link) => link.getAttribute('href'))).toEqual([0, 1].map(() => '/terminal/sessions/s9?oid=o2'))
  expect(screen.queryByText('s9')).toBeNull()
  expect(isGreyed(screen.getByRole('button', { name: 'Monitor' }))).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Terminate' }))
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Terminate' }))
  await waitFor(() =>
    expect(calls.find(({ path }) => path === '/api/v1/terminal/tasks/kill-session-for-ticket/')).toMatchObject({
      method: 'POST',
      body: ['s9'],
    }),
  )
})

test('[A2.53] the plain address of a ticket leads on to the page of its kind; a general one stays', async () => {
  serveTicket(request)
  const { router } = detail('TicketDetail')
  await waitFor(() => expect(router.state.location.pathname).toBe('/tickets/tickets/request-asset-perm/t1'))
  cleanup()
  serveTicket({ type: 'general', type_display: 'General', meta: {} })
  const stays = detail('TicketDetail')
  expect(await screen.findAllByText('Ada')).not.toEqual([])
  expect(stays.router.state.location.pathname).toBe('/tickets/tickets/t1')
})

test('[A2.48 B9.08] two lists: what I asked for and what waits for me, open ones first asked for; a title leads to the page of its type', async () => {
  const calls = serveTicket()
  show(<TicketList title="Tickets" />, '/tickets/tickets', '/tickets/tickets', ROUTES)
  await userEvent.click(await screen.findByRole('tab', { name: 'Assigned to me 1' }))
  const link = await screen.findByRole('link', { name: row.title })
  expect(link.getAttribute('href')).toMatch(/\/tickets\/tickets\/login-asset-confirm\/t1$/)
  expect(within(link.closest('tr') as HTMLElement).getByText('Open')).toBeDefined()
  const lists = calls
    .filter(({ method, path, query }) => method === 'GET' && path === ticket.path && !query.has('status'))
    .map(({ query }) => query)
  expect(lists.map((query) => [query.get('applicant'), query.get('assignees__id'), query.get('state')])).toEqual([
    ['u1', null, 'open'],
    [null, 'u1', 'open'],
  ])
})

test('[A6.35 A2.73 B7.25 B7.26] the bar leads to the tickets and counts those that wait for me; without the page there is no link', async () => {
  const calls = serveTicket()
  show(<TicketsLink />, '/', '/', ROUTES)
  expect(await screen.findByRole('link', { name: 'Tickets, 1 to decide on' })).toBeDefined()
  expect(Object.fromEntries(calls[0]?.query ?? [])).toMatchObject({
    assignees__id: 'u1',
    status: 'open',
    offset: '0',
    limit: '15',
  })
  // They are listed at once, and each leads to its page.
  await userEvent.click(screen.getByRole('link', { name: 'Tickets, 1 to decide on' }))
  const waiting = within(await screen.findByRole('dialog', { name: 'Waiting for your decision' }))
  expect(waiting.getByRole('link', { name: row.title }).getAttribute('href')).toMatch(/login-asset-confirm\/t1$/)
  expect(waiting.getByRole('link', { name: 'All 1' }).getAttribute('href')).toMatch(/activeTab=AssignedTicketList$/)
  cleanup()
  show(<TicketsLink />, '/', '/', {})
  expect(screen.queryByRole('link')).toBeNull()
})

test('[A6.35 A2.52] the link is there with a license, and without one while something waits for me', async () => {
  serve(() => ({ body: { count: 0, next: null, previous: null, results: [] } }))
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  show(<TicketsLink />, '/', '/', ROUTES)
  expect(await screen.findByRole('link', { name: 'Tickets' })).toBeDefined()
  cleanup()
  signIn()
  show(<TicketsLink />, '/', '/', ROUTES)
  expect(screen.queryByRole('link')).toBeNull()
})

test('[A2.52] a level that the server closed says why, and names nobody; one that its applicant closed names them', async () => {
  const closed = { ...step, state: 'closed', approval_date: '2026/11/21 10:00:00 +0000' }
  const over = { status: 'closed', state: 'closed' }
  serveTicket({ ...over, process_map: [{ ...closed, withdrawn_display: 'Closed, as the session has ended' } as never] })
  detail()
  expect(await screen.findByText('Closed, as the session has ended')).toBeDefined()
  expect(screen.queryByText(/^Decided by/)).toBeNull()
  cleanup()
  serveTicket({ ...over, process_map: [closed] })
  detail()
  expect(await screen.findByText('Decided by Bob')).toBeDefined()
})

test('[A2.50] a sign-in to be confirmed names its city where one is known', async () => {
  const signingIn: Change = { type: 'login_confirm', type_display: 'Login confirm' }
  serveTicket({ ...signingIn, meta: { apply_login_ip: '10.0.0.9', apply_login_city: '' } })
  detail()
  await findSentence('Bob bob wants to sign in from 10.0.0.9.')
  cleanup()
  serveTicket({ ...signingIn, meta: { apply_login_ip: '203.0.113.9', apply_login_city: 'Rotterdam' } })
  detail()
  await findSentence('Bob bob wants to sign in from 203.0.113.9 (Rotterdam).')
})
