import { casServer } from '@sallyport/contract/resources/authentication/cas-server.ts'
import { openidProvider } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { radiusServer } from '@sallyport/contract/resources/authentication/radius-server.ts'
import { saml2Provider } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { type Call, metadataFor, serve } from '../../../test/harness.tsx'
import { onWholeConsole, openConsole } from '../../../test/whole-console.ts'

const EMPTY = { count: 0, next: null, previous: null, results: [] }
const COMMON = { id: 'p1', name: 'Partner', priority: 50, is_active: true, people_amount: 7, comment: '' }

type Definition = Parameters<typeof metadataFor>[0]

/** Answers the calls of one resource, with one row; `answer` comes first. */
const providerServer = (
  definition: Definition,
  row: object,
  answer: (call: Call) => { status?: number; body: unknown } | undefined = () => undefined,
) =>
  serve((call: Call) => {
    const { method, path } = call
    if (method === 'OPTIONS') {
      const { actions } = metadataFor(definition)
      return { body: { actions: { ...actions, PATCH: actions.PUT } } }
    }
    const own = answer(call)
    if (own) return own
    if (path === definition.path && method === 'GET')
      return { body: { ...EMPTY, count: 1, results: [{ ...COMMON, ...row }] } }
    if (path === `${definition.path}p1/`) return { body: { ...COMMON, ...row } }
    return { body: EMPTY }
  })

onWholeConsole()

test.each<[string, Definition, object, string]>([
  [
    'saml2-providers',
    saml2Provider,
    { metadata_url: 'https://idp.example.com/', sp_metadata_url: 'https://us.example.com/metadata/' },
    'https://us.example.com/metadata/',
  ],
  [
    'cas-servers',
    casServer,
    { server_url: 'https://cas.example.com/', service_url: 'https://us.example.com/callback/' },
    'https://us.example.com/callback/',
  ],
  [
    'radius-servers',
    radiusServer,
    { host: 'radius.example.com', port: 1812, name_suffix: '@partner.example' },
    '@partner.example',
  ],
])(
  'the page of one of the %s shows what it needs, and how many people are from it',
  async (place, definition, row, shown) => {
    providerServer(definition, row)
    openConsole(`/ui/settings/${place}/p1`)
    await screen.findByText(shown, undefined, { timeout: 10_000 })
    screen.getByText('7')
  },
)

test('a form is tried as it stands, with the secret that is kept, and says how that went', async () => {
  const calls = providerServer(radiusServer, { host: 'radius.example.com', port: 1812, name_suffix: '' }, ({ path }) =>
    path === `${radiusServer.path}test/` ? { body: { msg: 'radius.example.com:1812 answers.' } } : undefined,
  )
  openConsole('/ui/settings/radius-servers/p1/update')
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }, { timeout: 10_000 }))
  await screen.findByText('radius.example.com:1812 answers.')
  const [sent] = calls.filter(({ path }) => path === `${radiusServer.path}test/`)
  expect(sent?.body).toMatchObject({ id: 'p1', host: 'radius.example.com', port: 1812 })
})

test('the endpoints of an OpenID provider are filled in from what it says of itself', async () => {
  const found = {
    authorization_endpoint: 'https://login.example.com/a',
    token_endpoint: 'https://login.example.com/t',
    jwks_endpoint: 'https://login.example.com/j',
    userinfo_endpoint: 'https://login.example.com/u',
    end_session_endpoint: '',
    signature_alg: 'ES256',
  }
  const calls = providerServer(openidProvider, {}, ({ path }) =>
    path === `${openidProvider.path}discover/` ? { body: found } : undefined,
  )
  openConsole('/ui/settings/openid-providers/create')
  const issuer = await screen.findByLabelText(/Provider endpoint/, undefined, { timeout: 10_000 })
  await userEvent.type(issuer, 'https://login.example.com')
  await userEvent.click(screen.getByRole('button', { name: 'Fill in from the provider' }))
  await waitFor(() =>
    expect(screen.getByLabelText<HTMLInputElement>(/Token endpoint/).value).toBe(found.token_endpoint),
  )
  expect(screen.getByLabelText<HTMLInputElement>(/Signature algorithm/).value).toBe('ES256')
  const [sent] = calls.filter(({ path }) => path === `${openidProvider.path}discover/`)
  expect(sent?.body).toEqual({ issuer: 'https://login.example.com', ignore_ssl_verification: false })
})
