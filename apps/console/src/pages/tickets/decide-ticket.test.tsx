import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { DecideTicket } from './DecideTicket.page.tsx'

beforeEach(() => void signIn())
afterEach(() => cleanup())

const step = {
  approval_level: 1,
  state: 'notified',
  assignees: ['u1'],
  assignees_display: ['Ada(ada)'],
  approval_date: '',
  processor: '',
  processor_display: '',
}
const ticket = {
  id: 't1',
  title: 'Login asset confirm web-1',
  type: 'login_asset_confirm',
  applicant_display: 'Bob(bob)',
  status: 'open',
  state: 'open',
  approval_step: 1,
  process_map: [step],
  meta: { apply_login_asset: 'web-1(10.0.0.1)', apply_login_system_user: 'root(root)', apply_login_user: 'Bob(bob)' },
}
const open = () => show(<DecideTicket title="Decide" />, '/decide-ticket?code=abc', '/decide-ticket')

test('the page of a card’s button asks for the password where it is due, decides, and says who decided and where', async () => {
  let isDecided = false
  const calls = serve(({ method, body }) => {
    if (method === 'POST') {
      if ((body as { password: string }).password !== 'right') return { status: 400, body: { password: ['Wrong.'] } }
      isDecided = true
      return { body: {} }
    }
    const decided = { ...step, state: 'approved', processor_display: 'Ada(ada)', decided_in: 'feishu' }
    return {
      body: {
        decision: 'approved',
        place: 'feishu',
        is_open: !isDecided,
        proof: 'password',
        ticket: isDecided ? { ...ticket, status: 'closed', state: 'approved', process_map: [decided] } : ticket,
      },
    }
  })
  open()
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Accept' })
  expect(button.disabled).toBe(true)
  await userEvent.type(screen.getByLabelText('Password'), 'wrong')
  await userEvent.click(button)
  expect((await screen.findByRole('alert')).textContent).toContain('Wrong.')
  await userEvent.type(screen.getByLabelText('Password'), 'right')
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }))
  expect((await screen.findByRole('status')).textContent).toBe('Approved by Ada · FeiShu card')
  expect(screen.queryByRole('button')).toBeNull()
  const posted = calls.filter(({ method }) => method === 'POST')
  expect(posted.map(({ path, body }) => [path, body])).toEqual([
    ['/api/v1/tickets/card-decisions/abc/', { password: 'wrong' }],
    ['/api/v1/tickets/card-decisions/abc/', { password: 'right' }],
  ])
})

test('a button that has expired, or is somebody else’s, shows nothing of the ticket', async () => {
  serve(() => ({ status: 404, body: { detail: 'Not found.' } }))
  open()
  await waitFor(() => expect(screen.getByText('This button does not count any more')).toBeDefined())
  expect(screen.queryByText(/web-1/)).toBeNull()
})
