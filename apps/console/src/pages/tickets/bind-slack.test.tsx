import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { BindSlack } from './BindSlack.page.tsx'

beforeEach(() => void signIn())
afterEach(() => cleanup())
const open = () => show(<BindSlack title="Bind" />, '/bind-slack?code=abc', '/bind-slack')

test('a person is asked whether the account in Slack is theirs, and binds it with their password', async () => {
  const calls = serve(({ method }) => ({
    body: method === 'POST' ? { is_bound: true, slack_name: 'ada' } : { slack_name: 'ada', proof: 'password' },
  }))
  open()
  expect(await screen.findByText('Is ada your account in Slack?')).toBeDefined()
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Bind' })
  expect(button.disabled).toBe(true)
  await userEvent.type(screen.getByLabelText('Password'), 'right')
  await userEvent.click(button)
  expect(await screen.findByText('ada now decides for you')).toBeDefined()
  expect(calls.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body])).toEqual([
    ['/api/v1/tickets/slack-bindings/abc/', { password: 'right' }],
  ])
})

test('an address that has expired, or is somebody else’s, binds nothing', async () => {
  serve(() => ({ status: 404, body: { detail: 'Not found.' } }))
  open()
  expect(await screen.findByText('This address does not count any more')).toBeDefined()
  expect(screen.queryByRole('button')).toBeNull()
})
