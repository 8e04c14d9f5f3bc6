import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { PublicSettings } from '../../session/session.ts'
import { serve, show, signIn } from '../../test/harness.tsx'
import { FirstLogin } from './first-login/FirstLogin.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const profile = { id: 'u1', username: 'ada', name: 'Ada', email: 'ada@example.com', source: 'local' }

/** The form, filled in by nobody; answers the calls it makes. */
async function submitted(settings: PublicSettings) {
  signIn({ settings })
  const assign = vi.fn()
  vi.stubGlobal('location', Object.assign(new URL('http://console/ui/'), { assign }))
  const calls = serve(({ method }) => {
    if (method !== 'OPTIONS') return { body: profile }
    const text = { type: 'string', required: false, read_only: false }
    return {
      body: { actions: { PATCH: { phone: { ...text, label: 'Phone' }, wechat: { ...text, label: 'WeChat' } } } },
    }
  })
  show(<FirstLogin title="First sign-in" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }))
  return { calls, assign }
}

test('[B8.19] where there are terms, the first sign-in ends only for who agrees to them, and can read them', async () => {
  const { calls } = await submitted({ TERMS_URL: 'https://terms.example/' })
  await screen.findByText('Please agree to the terms')
  expect(screen.getByRole('link', { name: 'Read the terms' }).getAttribute('href')).toBe('https://terms.example/')
  expect(calls.some(({ method }) => method === 'PUT')).toBe(false)
})

test('[A2.70] without terms nobody is asked to agree, and without a user guide its page is left out', async () => {
  const { calls, assign } = await submitted({})
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('/ui/'))
  expect(calls.some(({ method }) => method === 'PUT')).toBe(true)
  cleanup()
  const guided = await submitted({ HELP_DOCUMENT_URL: 'https://docs.example/' })
  await waitFor(() => expect(guided.assign).toHaveBeenCalledExactlyOnceWith('/ui/users/first-login/guide/'))
})
