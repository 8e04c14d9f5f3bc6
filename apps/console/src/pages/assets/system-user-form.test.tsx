import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { systemUserPages } from './system-user.page.tsx'

function systemUserServer({ method, body }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(systemUser) }
  return { body: { id: 's1', ...(body as object) } }
}

const create = (query: string) =>
  show(
    <FormPage pages={systemUserPages} base="SystemUser" title="Create system user" mode="create" />,
    `/create${query}`,
    '/create',
    {
      SystemUserList: '/assets/system-users',
    },
  )
const body = (calls: readonly Call[]) => calls.find(({ method }) => method === 'POST')?.body

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A3.17] a new ssh identity posts its password and key fields and goes back to its tab', async () => {
  const calls = serve(systemUserServer)
  const { router } = create('?protocol=ssh')
  await userEvent.type(await screen.findByLabelText('Name'), 'deploy')
  await userEvent.type(screen.getByLabelText('Username'), 'deploy')
  await userEvent.type(screen.getByLabelText('Password'), ' secret ')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(body(calls)).toMatchObject({
      name: 'deploy',
      protocol: 'ssh',
      type: 'common',
      password: ' secret ',
      login_mode: 'auto',
    }),
  )
  await waitFor(() => expect(router.state.location.search).toBe('?activeTab=CommonUserList'))
})

test('[A3.17] manual login asks for no secret and needs no username', async () => {
  const calls = serve(systemUserServer)
  create('?protocol=ssh')
  await userEvent.type(await screen.findByLabelText('Name'), 'ask me')
  await userEvent.click(screen.getByLabelText('Ask each time'))
  await waitFor(() => expect(screen.queryByLabelText('Password')).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(body(calls)).toMatchObject({ name: 'ask me', login_mode: 'manual' }))
  expect(Object.keys(body(calls) as object)).not.toContain('password')
})

test('[A3.17] a dynamic username empties and locks the username', async () => {
  serve(systemUserServer)
  create('?protocol=ssh')
  const username = await screen.findByLabelText<HTMLInputElement>('Username')
  await userEvent.type(username, 'deploy')
  await userEvent.click(screen.getByLabelText('Username of the person who connects'))
  await waitFor(() => expect(username.value).toBe(''))
  expect(username.disabled).toBe(true)
})

test('[A1.24 A2.16] an admin user is created as such, without login mode', async () => {
  const calls = serve(systemUserServer)
  create('?protocol=ssh&type=admin')
  await userEvent.type(await screen.findByLabelText('Name'), 'root')
  await userEvent.type(screen.getByLabelText('Username'), 'root')
  expect(screen.queryByLabelText('Ask each time')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(body(calls)).toMatchObject({ type: 'admin', username: 'root' }))
})
