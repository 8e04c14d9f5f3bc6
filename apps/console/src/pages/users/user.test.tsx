import { user } from '@sallyport/contract/resources/users/user.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showError } from '../../design/dialogs/feedback.tsx'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { onApi } from '../../lib/api.ts'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { userPages } from './user.page.tsx'

const ROUTES = { UserList: '/users/users', UserUpdate: '/users/users/:id/update' }
const row = {
  id: 'u2',
  name: 'Bea',
  username: 'bea',
  email: 'bea@example.com',
  source: 'local',
  mfa_level: 0,
  role: 'User',
  org_roles: ['Auditor'],
  groups: [],
  is_active: false,
  need_update_password: false,
  can_update: true,
  can_delete: true,
}

function userServer({ method, path, body }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(user) }
  if (method === 'GET' && path === user.path) return { body: { count: 1, next: null, previous: null, results: [row] } }
  if (method === 'GET') return { body: row }
  return { body: { ...row, ...(body as object) } }
}

const sent = (calls: readonly Call[], method: string) =>
  calls.find((call) => call.method === method)?.body as Record<string, unknown>
const form = (mode: 'create' | 'update', address: string, path: string) =>
  show(<FormPage pages={userPages} base="User" title="User" mode={mode} />, address, path, ROUTES)

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A5.04 A5.21] a new local person is sent a link, or is given a password, which is required then', async () => {
  signIn({ settings: { CAN_SEND_MAIL: true } })
  const calls = serve(userServer)
  form('create', '/create', '/create')
  await userEvent.type(await screen.findByLabelText('Name'), 'Bea')
  await userEvent.type(screen.getByLabelText('Username'), 'bea')
  await userEvent.type(screen.getByLabelText('Email'), 'bea@example.com')
  expect(screen.queryByLabelText('Password')).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: 'Set password' }))
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText('This field is required')
  expect(sent(calls, 'POST')).toBeUndefined()
  await userEvent.type(await screen.findByLabelText('Password'), 'Str0ng-enough')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent(calls, 'POST')).toMatchObject({
      username: 'bea',
      password: 'Str0ng-enough',
      password_strategy: 'custom',
      // Somebody else has typed it.
      need_update_password: true,
    }),
  )
})

test('a password is never part of what is kept of a form that was left', async () => {
  serve(userServer)
  form('create', '/create', '/create')
  await userEvent.type(await screen.findByLabelText('Name'), 'Bea')
  await userEvent.type(screen.getByLabelText('Password'), 'Str0ng-enough')
  cleanup()
  expect(JSON.stringify({ ...sessionStorage })).toMatch(/Bea/)
  expect(JSON.stringify({ ...sessionStorage })).not.toMatch(/Str0ng/)
  form('create', '/create', '/create')
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Bea')
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
})

test('[A5.04] with a link to come no password is sent; people of another source have neither', async () => {
  signIn({ settings: { CAN_SEND_MAIL: true } })
  const calls = serve(userServer)
  form('create', '/create', '/create')
  await userEvent.type(await screen.findByLabelText('Name'), 'Bea')
  await userEvent.type(screen.getByLabelText('Username'), 'bea')
  await userEvent.type(screen.getByLabelText('Email'), 'bea@example.com')
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent(calls, 'POST')).toMatchObject({ username: 'bea', password_strategy: 'email', source: 'local' }),
  )
  expect(Object.keys(sent(calls, 'POST'))).not.toContain('password')
})

test('[A5.04] without a mail server a password is set, unless somebody chooses otherwise', async () => {
  serve(userServer)
  form('create', '/create', '/create')
  await screen.findByLabelText('Password')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Set password' }).checked).toBe(true)
})

test('[A4.26] an update keeps what the form does not show: a disabled person stays disabled, without a license the roles stay', async () => {
  const calls = serve(userServer)
  form('update', '/users/users/u2/update', '/users/users/:id/update')
  const comment = await screen.findByLabelText('Comment')
  await userEvent.type(comment, 'on leave')
  expect(screen.queryByLabelText('Password')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent(calls, 'PUT')).toMatchObject({ is_active: false, org_roles: ['Auditor'], comment: 'on leave' }),
  )
  expect(Object.keys(sent(calls, 'PUT'))).not.toContain('update_password')
  expect(Object.keys(sent(calls, 'PUT'))).not.toContain('password')
})

test('[A5.27] ticking Update password shows the password and takes the tick box away', async () => {
  serve(userServer)
  form('update', '/users/users/u2/update', '/users/users/:id/update')
  await userEvent.click(await screen.findByLabelText('Update password'))
  await screen.findByLabelText('Password')
  expect(screen.queryByLabelText('Update password')).toBeNull()
  expect(screen.getByRole('switch', { name: 'Must change password' }).ariaChecked).toBe('true')
})

test('[B2.07 B3.07] Update selected sends only what was ticked, for every selected row', async () => {
  const calls = serve(userServer)
  show(<ListPage pages={userPages} base="User" title="Users" />, '/users/users', '/users/users', ROUTES)
  await userEvent.click(await screen.findByLabelText('Select row'))
  const bar = within(screen.getByRole('toolbar', { name: 'Selected rows' }))
  await userEvent.click(bar.getByRole('button', { name: 'Update' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.click(await within(dialog).findByRole('checkbox', { name: 'User group' }))
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Expires' }))
  await userEvent.type(await within(dialog).findByLabelText('Comment', { selector: 'textarea' }), 'leaving')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(sent(calls, 'PATCH')).toEqual([{ id: 'u2', comment: 'leaving' }]))
})

test('[B8.19] people who could not be removed from the organization are listed, with the reason', async () => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  onApi({ showError })
  serve((call) => {
    if (call.path.endsWith('/resources/cache/')) return { body: { spm: 'x' } }
    if (call.path !== `${user.path}remove/`) return userServer(call)
    return call.method === 'GET'
      ? { body: { people: 1, ends: [] } }
      : { status: 403, body: { detail: 'The last administrator stays' } }
  })
  show(<ListPage pages={userPages} base="User" title="Users" />, '/users/users', '/users/users', ROUTES)
  await userEvent.click(await screen.findByLabelText('Select row'))
  const bar = within(screen.getByRole('toolbar', { name: 'Selected rows' }))
  await userEvent.click(bar.getByRole('button', { name: 'Remove' }))
  const dialog = within(await screen.findByRole('alertdialog'))
  await userEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await screen.findByText('Bulk remove failed: The last administrator stays')
})
