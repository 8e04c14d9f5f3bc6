import { type OpenidProvider, openidProvider } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { type Call, metadataFor, serve } from '../../../test/harness.tsx'
import { onWholeConsole, openConsole } from '../../../test/whole-console.ts'

const PARTNER = {
  id: 'p1',
  name: 'Partner',
  priority: 50,
  is_active: true,
  client_id: 'sallyport',
  issuer: 'https://login.partner.example.com/',
  authorization_endpoint: 'auth',
  token_endpoint: 'token',
  jwks_endpoint: 'jwks',
  userinfo_endpoint: 'me',
  end_session_endpoint: '',
  signature_alg: 'RS256',
  signature_key: '',
  scopes: 'openid',
  user_attr_map: { username: 'preferred_username' },
  callback_url: 'https://sallyport.example.com/core/auth/openid/providers/p1/callback/',
  people_amount: 7,
} satisfies Partial<Record<keyof OpenidProvider, unknown>>

const ADDRESS = `${openidProvider.path}p1/`
const EMPTY = { count: 0, next: null, previous: null, results: [] }

const providerServer = () =>
  serve(({ method, path, body }: Call) => {
    if (method === 'OPTIONS') {
      const { actions } = metadataFor(openidProvider)
      return { body: { actions: { ...actions, PATCH: actions.PUT } } }
    }
    if (path === openidProvider.path && method === 'GET') return { body: { ...EMPTY, count: 1, results: [PARTNER] } }
    if (path === ADDRESS) return { body: { ...PARTNER, ...(body as object) } }
    return { body: EMPTY }
  })

const sent = (calls: readonly Call[], method: string) =>
  calls.filter((call) => call.method === method && call.path === ADDRESS).map(({ body }) => body)

onWholeConsole()

test('the list of OpenID providers says where each is, and how many people are from it', async () => {
  providerServer()
  openConsole('/ui/settings/openid-providers')
  const line = within((await screen.findByRole('link', { name: 'Partner' })).closest('tr') as HTMLElement)
  for (const text of [PARTNER.issuer, '50', '7']) line.getByText(text)
})

test('the page of a provider shows what is to be entered there, and asks before its people are shut out', async () => {
  const calls = providerServer()
  openConsole('/ui/settings/openid-providers/p1')
  await screen.findByText(PARTNER.callback_url)
  await userEvent.click(await screen.findByRole('switch', { name: 'Activate' }))
  const dialog = await screen.findByRole('alertdialog')
  within(dialog).getByText(/Its people cannot sign in/)
  expect(sent(calls, 'PATCH')).toEqual([])
  await userEvent.click(within(dialog).getByRole('button', { name: 'Switch off' }))
  await waitFor(() => expect(sent(calls, 'PATCH')).toEqual([{ is_active: false }]))
})
