import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, signIn } from '../../test/harness.tsx'
import { PasswordPage } from './PasswordPage.tsx'

const assign = vi.fn()
beforeEach(() => {
  signIn()
  assign.mockReset()
  vi.stubGlobal('location', { pathname: '/core/auth/wecom/bind/start/', search: '?redirect_url=%2Fui%2F', assign })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('the password is asked for until it is right; the server says where the way goes on', async () => {
  const next = '/core/auth/wecom/qr/bind/?redirect_url=%2Fui%2F'
  const calls = serve(({ body }) =>
    (body as { password: string }).password === 'right'
      ? { body: { next } }
      : { status: 400, body: { detail: 'The password is incorrect', code: 'passwd_invalid' } },
  )
  render(<PasswordPage settings={{}} />)
  const enter = (password: string) => {
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: password } })
    fireEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  }
  enter('wrong')
  expect((await screen.findByRole('alert')).textContent).toBe('The password is incorrect')
  expect(screen.getByLabelText('Password')).toHaveProperty('value', '')
  enter('right')
  await waitFor(() => expect(assign.mock.calls).toEqual([[next]]))
  expect(calls.map(({ path, query }) => [path, query.get('redirect_url')])).toEqual(
    Array(2).fill(['/core/auth/wecom/bind/start/', '/ui/']),
  )
})
