import { secretSource } from '@sallyport/contract/resources/assets/secret-source.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { systemUserPages } from '../assets/system-user.page.tsx'
import { SecretView } from './account/SecretView.tsx'
import { secretSourcePages } from './secret-source.page.tsx'

const VAULT = { id: 'v1', name: 'Vault', kind: 'vault', address: 'https://vault:8200', accounts_amount: 2, comment: '' }

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const server = ({ method, body }: Call) => {
  if (method === 'OPTIONS') return { body: metadataFor(secretSource) }
  if (method === 'GET') return { body: { count: 1, next: null, previous: null, results: [VAULT] } }
  return { body: { id: 's1', ...(body as object) } }
}
const sent = (calls: readonly Call[]) => calls.find(({ method }) => method === 'POST')?.body

test('the form of a source asks for what its kind and its way to sign in need, and says what was not tried', async () => {
  const calls = serve(server)
  show(
    <FormPage pages={secretSourcePages} base="SecretSource" title="Create secret source" mode="create" />,
    '/create',
    '/create',
    { SecretSourceList: '/accounts/secret-sources' },
  )
  await userEvent.type(await screen.findByLabelText('Name'), 'Vault')
  screen.getByText('Not yet tried with the product itself: begin with a small part.')
  await userEvent.type(screen.getByLabelText('Address of the source'), 'https://vault:8200')
  screen.getByLabelText('Secrets engine')
  await userEvent.click(screen.getByLabelText('AppRole'))
  await waitFor(() => expect(screen.queryByLabelText('Token', { selector: '[type=password]' })).toBeNull())
  await userEvent.type(screen.getByLabelText('Role ID'), 'role')
  await userEvent.type(screen.getByLabelText('Secret ID'), 'secret')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent(calls)).toMatchObject({ authentication: 'approle', role_id: 'role', secret_id: 'secret' }),
  )
})

test('a test of a source sends the secret that is to be found, and shows nothing of it', async () => {
  const calls = serve(server)
  show(<ListPage pages={secretSourcePages} base="SecretSource" title="Secret sources" />, '/', '/')
  const row = within((await screen.findByText('Vault')).closest('tr') as HTMLElement)
  await userEvent.click(row.getByRole('button', { name: /^Test/ }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.type(dialog.getByLabelText('Path of the secret'), 'linux/web-1')
  await userEvent.type(dialog.getByLabelText('Field of the secret'), 'password')
  await userEvent.click(dialog.getByRole('button', { name: 'Test' }))
  await screen.findByText('The test succeeded')
  expect(sent(calls)).toEqual({ path: 'linux/web-1', field: 'password' })
})

test('a system user without a source asks for a secret, and for no path', async () => {
  serve(({ method }) => ({ body: method === 'OPTIONS' ? metadataFor(systemUser) : [] }))
  show(
    <FormPage pages={systemUserPages} base="SystemUser" title="Create system user" mode="create" />,
    '/create?protocol=ssh',
    '/create',
    { SystemUserList: '/assets/system-users' },
  )
  await screen.findByLabelText('Secret source')
  screen.getByLabelText('Password')
  expect(screen.queryByLabelText('Path of the secret')).toBeNull()
})

test('the secret of an account that is kept outside: its place is shown instead', async () => {
  serve(() => ({ body: { password: '', private_key: '', kept_in: 'Vault: secret/linux/web-1#password' } }))
  show(<SecretView path="/api/v1/assets/account-secrets/1/" facts={[['Username', 'deploy']]} />, '/', '/')
  await screen.findByText('Vault: secret/linux/web-1#password')
  screen.getByText(/kept outside of Sallyport: look at it there/)
  expect(screen.queryByText(/people are asked for it/)).toBeNull()
})
