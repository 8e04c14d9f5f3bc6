import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { FirstLogin } from './FirstLogin.page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[B8.19] the first sign-in ends only for who agrees to the terms', async () => {
  signIn()
  const profile = { id: 'u1', username: 'ada', name: 'Ada', email: 'ada@example.com', source: 'local' }
  const calls = serve(({ method }) => {
    if (method !== 'OPTIONS') return { body: profile }
    const text = { type: 'string', required: false, read_only: false }
    return {
      body: { actions: { PATCH: { phone: { ...text, label: 'Phone' }, wechat: { ...text, label: 'WeChat' } } } },
    }
  })
  show(<FirstLogin title="First login" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  await screen.findByText('Please agree to the terms')
  expect(calls.some(({ method }) => method === 'PUT')).toBe(false)
})
