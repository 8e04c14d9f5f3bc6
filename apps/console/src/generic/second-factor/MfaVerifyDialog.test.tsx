import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetMessages } from '../../design/dialogs/Messages.tsx'
import { api, MFA_PATH, onApi } from '../../lib/api.ts'
import { serve, show, signIn } from '../../test/harness.tsx'
import { askForMfa, MfaVerifyHost, proveMfa } from './MfaVerifyDialog.tsx'

let proven: boolean
let calls: ReturnType<typeof serve>

beforeEach(() => {
  proven = false
  signIn()
  onApi({ proveSecondFactor: askForMfa, showError: () => {} })
  calls = serve(({ method, path, body }) => {
    if (path === MFA_PATH && method === 'POST') {
      proven = (body as { code: string }).code === '123456'
      return proven ? { body: { ok: '1' } } : { status: 400, body: { error: '2 tries are left' } }
    }
    if (!proven) return { status: 400, body: { detail: 'Prove your second factor first', code: 'mfa_verify_required' } }
    return { body: { secret: 'open' } }
  })
  show(
    <>
      <button type="button">Show it</button>
      <MfaVerifyHost />
    </>,
    '/',
    '/',
  )
})
afterEach(() => {
  cleanup()
  forgetMessages()
  vi.unstubAllGlobals()
})

const tried = () => calls.filter(({ method }) => method === 'POST').length
const type = async (code: string) => {
  const box = await screen.findByRole('textbox', { name: 'MFA' })
  await userEvent.clear(box)
  await userEvent.type(box, `${code}{Enter}`)
}

test('[A5.10 A2.97 B2.16 B5.06 B8.16 B7.17] a call that wants the second factor opens the dialog: a short code is not sent, a wrong one is reported, the right one repeats the call', async () => {
  const answer = api.get('/api/v1/secret/')
  await type('12345')
  expect((await screen.findByRole('alert')).textContent).toBe('MFA Error, please check')
  expect(tried()).toBe(0)
  await type('000000')
  await screen.findByText('2 tries are left')
  expect(screen.getByRole('alert').textContent).toContain('MFA Error, please check')
  await type('123456')
  expect(await answer).toEqual({ secret: 'open' })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls.filter(({ path }) => path === '/api/v1/secret/')).toHaveLength(2)
})

test('a person with another factor is asked for that: a code that is sent first, with its own figures', async () => {
  const way = (type: string, more: object) => ({
    type,
    label: type,
    active: true,
    digits: null,
    sends: false,
    sent_to: '',
    ...more,
  })
  calls = serve(({ method, path }) => {
    if (path === '/core/auth/profile/mfa/')
      return {
        body: {
          types: [
            way('otp', { active: false, digits: 6 }),
            way('sms', { digits: 4, sends: true, sent_to: '138****0000' }),
          ],
        },
      }
    if (method === 'POST') proven ||= path === MFA_PATH
    if (method === 'POST') return { body: { ok: '1' } }
    return proven
      ? { body: { secret: 'open' } }
      : { status: 400, body: { detail: 'Prove your second factor first', code: 'mfa_verify_required' } }
  })
  const answer = api.get('/api/v1/secret/')
  await userEvent.click(await screen.findByRole('button', { name: 'Send a code' }))
  await screen.findByText('A code was sent to 138****0000.')
  await type('4821')
  expect(await answer).toEqual({ secret: 'open' })
  expect(calls.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body])).toEqual([
    ['/api/v1/authentication/mfa/select/', { type: 'sms' }],
    [MFA_PATH, { type: 'sms', code: '4821' }],
  ])
})

test('a person without any second factor is offered to set one up, and comes back to this page', async () => {
  const ways = ['otp', 'passkey'].map((type) => ({ type, label: type, active: false }))
  calls = serve(({ path }) =>
    path === '/core/auth/profile/mfa/'
      ? { body: { types: ways } }
      : { status: 400, body: { detail: 'Prove your second factor first', code: 'mfa_verify_required' } },
  )
  void api.get('/api/v1/secret/').catch(() => {})
  const link = await screen.findByRole('link', { name: 'Set up' })
  const here = encodeURIComponent(`${location.pathname}${location.search}`)
  expect(link.getAttribute('href')).toBe(`/core/auth/profile/otp/enable/start/?next=${here}`)
  expect(screen.queryByRole('textbox', { name: 'MFA' })).toBeNull()
})

test('calls that are refused together share one dialog; closing it leaves them refused, and the focus where it was', async () => {
  const opener = screen.getByRole('button', { name: 'Show it' })
  opener.focus()
  const answers = Promise.allSettled([api.get('/api/v1/one/'), api.get('/api/v1/two/')])
  await screen.findByRole('dialog')
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(opener)
})

test('[A4.16 B4.07 B7.16] a silent call tells whether the factor is fresh; only when it is not the dialog opens', async () => {
  proven = true
  expect(await proveMfa()).toBe(true)
  expect(screen.queryByRole('dialog')).toBeNull()
  proven = false
  const answer = proveMfa()
  await type('123456')
  expect(await answer).toBe(true)
})

test('when the server cannot tell whether the factor is fresh, that is said, and nothing follows', async () => {
  serve(() => ({ status: 400, body: { detail: 'Not now' } }))
  expect(await proveMfa()).toBe(false)
  await screen.findByText('Not now')
})

test('a page that goes while it asks has a no, and the next page asks again', async () => {
  const answer = askForMfa()
  await screen.findByRole('textbox', { name: 'MFA' })
  cleanup()
  expect(await answer).toBe(false)
  show(<MfaVerifyHost />, '/', '/')
  void askForMfa()
  await screen.findByRole('textbox', { name: 'MFA' })
})
