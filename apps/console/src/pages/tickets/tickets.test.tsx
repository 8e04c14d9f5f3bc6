import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TicketsLink } from '../../app/TicketsLink.tsx'
import { DetailPage } from '../../generic/DetailPage.tsx'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { TicketList } from './TicketList.tsx'
import { ticketPages } from './ticket.tsx'

const ROUTES = {
  TicketList: '/tickets/tickets',
  TicketDetail: '/tickets/tickets/:id',
  LoginAssetTicketDetail: '/tickets/tickets/login-asset-confirm/:id',
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
  org_name: 'Default',
  comment: '',
  date_created: '2026/11/21 09:00:00 +0000',
  date_updated: '2026/11/21 09:00:00 +0000',
}

function serveTicket(change: Partial<typeof row> = {}) {
  return serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(ticket) }
    if (path === ticketComment.path) return { body: [] }
    if (method === 'GET' && path === ticket.path) {
      const rows = query.get('assignees__id') === 'u1' ? [row] : []
      return { body: { count: rows.length, next: null, previous: null, results: rows } }
    }
    return { body: { ...row, ...change } }
  })
}
const detail = () =>
  show(
    <DetailPage pages={ticketPages} base="LoginAssetTicket" title="Ticket detail" />,
    '/tickets/tickets/login-asset-confirm/t1',
    ROUTES.LoginAssetTicketDetail,
    ROUTES,
  )

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.50] a reviewer reads what is asked for, and the words in the box go before the decision', async () => {
  const calls = serveTicket()
  detail()
  expect(await screen.findByText('web-1(10.0.0.1)')).toBeDefined()
  expect(screen.getByText('Waits for Ada(ada)')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
  await userEvent.type(await screen.findByLabelText('Your comment'), 'Until noon.')
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }))
  await waitFor(() => expect(calls.some(({ method }) => method === 'PUT')).toBe(true))
  expect(calls.filter(({ method }) => method === 'POST' || method === 'PUT').map(({ method, path, body }) => [method, path, body])).toEqual(
    [
      ['POST', ticketComment.path, { body: 'Until noon.' }],
      ['PUT', `${ticket.path}t1/approve/`, {}],
    ],
  )
})

test('[A4.01] the applicant may close the ticket and nothing else; on a closed one nobody does anything', async () => {
  signIn({ profile: { id: 'u2', name: 'Bob', username: 'bob', role: 'User' } as never })
  serveTicket()
  detail()
  expect(await screen.findByRole('button', { name: 'Close' })).toHaveProperty('disabled', false)
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull()
  cleanup()
  serveTicket({ status: 'closed', state: 'closed' })
  const { queryClient } = await import('../../lib/query.ts')
  queryClient.clear()
  detail()
  expect(await screen.findByRole('button', { name: 'Close' })).toHaveProperty('disabled', true)
})

test('[A2.48 B9.08] two lists: what I asked for and what waits for me, open ones first asked for; a title leads to the page of its type', async () => {
  const calls = serveTicket()
  show(<TicketList title="Tickets" />, '/tickets/tickets', '/tickets/tickets', ROUTES)
  await userEvent.click(await screen.findByRole('tab', { name: 'Assigned to me' }))
  const link = await screen.findByRole('link', { name: row.title })
  expect(link.getAttribute('href')).toMatch(/\/tickets\/tickets\/login-asset-confirm\/t1$/)
  expect(within(link.closest('tr') as HTMLElement).getByText('Pending')).toBeDefined()
  const lists = calls.filter(({ method, path }) => method === 'GET' && path === ticket.path).map(({ query }) => query)
  expect(lists.map((query) => [query.get('applicant'), query.get('assignees__id'), query.get('state')])).toEqual([
    ['u1', null, 'open'],
    [null, 'u1', 'open'],
  ])
})

test('[A6.35 A2.73 B7.25 B7.26] the bar leads to the tickets and counts those that wait for me; without the page there is no link', async () => {
  const calls = serveTicket()
  show(<TicketsLink />, '/', '/', ROUTES)
  expect(await screen.findByRole('link', { name: 'Tickets, 1 to decide on' })).toBeDefined()
  expect(Object.fromEntries(calls[0]?.query ?? [])).toMatchObject({ assignees__id: 'u1', status: 'open', offset: '0', limit: '15' })
  cleanup()
  show(<TicketsLink />, '/', '/', {})
  expect(screen.queryByRole('link')).toBeNull()
})
