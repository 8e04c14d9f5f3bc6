import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, signIn } from '../../test/harness.tsx'
import { LoginPage } from '../LoginPage.tsx'
import { MfaStepPage } from './MfaStepPage.tsx'

const way = (type: string, label: string, more: object = {}) => ({
  type,
  label,
  active: true,
  digits: null,
  sends: false,
  sent_to: '',
  ...more,
})
const WAYS = [
  way('otp', 'OTP', { active: false, digits: 6 }),
  way('sms', 'SMS', { digits: 4, sends: true, sent_to: '138****0001' }),
  way('otp_radius', 'Radius'),
]
const assign = vi.fn()
beforeEach(() => {
  signIn()
  localStorage.clear()
  assign.mockReset()
  vi.stubGlobal('location', { pathname: '/core/auth/login/mfa/', search: '', assign, reload: vi.fn() })
  vi.stubGlobal('crypto', { subtle: undefined })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A1.01] the page offers the ways that the person has; the one that was chosen is remembered, a code is sent once and goes with its way', async () => {
  const calls = serve(({ method, path }) => {
    if (path.endsWith('/select/')) return { status: 201, body: { type: 'sms', username: 'ada' } }
    return { body: method === 'GET' ? { types: WAYS } : { next: '/core/auth/login/guard/' } }
  })
  localStorage.setItem('mfaPrefer', 'otp_radius')
  render(<MfaStepPage settings={{}} />)
  const select = await screen.findByLabelText<HTMLSelectElement>('Verification method')
  expect([select.value, [...select.options].map(({ text, disabled }) => [text, disabled])]).toEqual([
    'otp_radius',
    [
      ['OTP (not set up)', true],
      ['SMS', false],
      ['Radius', false],
    ],
  ])
  fireEvent.change(select, { target: { value: 'sms' } })
  expect(localStorage.getItem('mfaPrefer')).toBe('sms')
  // A person who has lost the device sees where to turn.
  screen.getByText(/ask an administrator to reset your MFA/)
  fireEvent.click(screen.getByRole('button', { name: 'Send a code' }))
  await screen.findByText('A code was sent to 138****0001.')
  expect(screen.getByRole('button', { name: /^Again in/ })).toHaveProperty('disabled', true)
  fireEvent.change(screen.getByLabelText('Code from the SMS'), { target: { value: '4821' } })
  fireEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/core/auth/login/guard/'))
  expect(calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { type: 'sms' },
    { mfa_type: 'sms', code: '4821' },
  ])
})

test('[A1.01] beside name and password a code is asked for the name that is typed, and may be left out', async () => {
  const calls = serve(({ method, path }) => {
    if (path.endsWith('/select/')) return { status: 404, body: { error: 'No code can be sent for this username' } }
    return {
      body:
        method === 'GET'
          ? { extra: 'mfa', types: WAYS.slice(1).map((one) => ({ ...one, sent_to: '' })) }
          : { next: '/next/' },
    }
  })
  render(<LoginPage settings={{}} />)
  const send = await screen.findByRole('button', { name: 'Send a code' })
  expect(send).toHaveProperty('disabled', true)
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: 'ada' } })
  fireEvent.click(send)
  expect((await screen.findByRole('alert')).textContent).toBe('No code can be sent for this username')
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'right' } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/next/'))
  const [asked, sent] = calls.filter(({ method }) => method === 'POST')
  expect(asked?.body).toEqual({ type: 'sms', username: 'ada' })
  expect(Object.keys(Object.fromEntries(sent?.body as URLSearchParams))).not.toContain('mfa_type')
})
