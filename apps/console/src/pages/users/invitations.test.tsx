import { organizationInvitation, ownInvitation } from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { OwnInvitations } from './invitations/OwnInvitations.tsx'
import { OrganizationInvitationList } from './invitations.page.tsx'

const dates = { date_created: '2026/01/31 09:00:00 +0000', date_expired: '2026/02/07 09:00:00 +0000' }
const OWN = [{ id: 'i1', organization: 'Harbour', roles: ['Admin', 'User'], invited_by: 'Bea(bea)', ...dates }]
const SENT = [
  {
    id: 's1',
    user: 'u2',
    user_display: 'Cy(cy)',
    roles: ['User'],
    status: 'pending',
    invited_by: 'Bea(bea)',
    ...dates,
  },
  { id: 's2', user: 'u3', user_display: 'Di(di)', roles: ['User'], status: 'declined', invited_by: 'Ada(a)', ...dates },
].map((row) => ({ ...row, status_display: row.status === 'pending' ? 'Pending' : 'Declined' }))

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function invited(rows: readonly object[]) {
  let left = rows
  return serve(({ method }) => {
    if (method !== 'POST') return { body: left }
    left = []
    return { status: 204, body: '' }
  })
}
const own = () => show(<OwnInvitations />, '/users/profile', '/users/profile')

test('[A1.18] an invitation says who, where, as what and until when; accepting it by the keyboard reads the rights again', async () => {
  const calls = invited(OWN)
  const reload = vi.fn()
  vi.stubGlobal('location', { ...location, reload })
  own()
  expect(
    (await screen.findByText(/Bea invites you as Organization administrator, Organization user/)).textContent,
  ).toContain('2026')
  screen.getByRole('button', { name: 'Accept the invitation to Harbour' }).focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
  expect(calls.find(({ method }) => method === 'POST')?.path).toBe(`${ownInvitation.path}i1/accept/`)
})

test('[A1.18] declining asks first; without invitations the page says so', async () => {
  const calls = invited(OWN)
  own()
  await userEvent.click(await screen.findByRole('button', { name: 'Decline the invitation to Harbour' }))
  const dialog = await screen.findByRole('dialog')
  expect(calls.some(({ method }) => method === 'POST')).toBe(false)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Decline' }))
  expect(await screen.findByText('No organization has invited you')).toBeDefined()
  expect(calls.find(({ method }) => method === 'POST')?.path).toBe(`${ownInvitation.path}i1/decline/`)
})

test('[A1.18] an administrator sees who has not answered yet, and withdraws an invitation that was not declined', async () => {
  const calls = serve(({ method }) => {
    if (method === 'OPTIONS') return { body: metadataFor(organizationInvitation) }
    if (method === 'DELETE') return { status: 204, body: '' }
    return { body: { count: SENT.length, next: null, previous: null, results: SENT } }
  })
  show(<OrganizationInvitationList title="Invitations" />, '/users/invitations', '/users/invitations')
  const row = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement
  expect(isGreyed(within(await row('Di')).getByRole('button', { name: 'Withdraw' }))).toBe(true)
  await userEvent.click(within(await row('Cy')).getByRole('button', { name: 'Withdraw' }))
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Withdraw' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'DELETE')?.path).toBe(`${organizationInvitation.path}s1/`),
  )
})
