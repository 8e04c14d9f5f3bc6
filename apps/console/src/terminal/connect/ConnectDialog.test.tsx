import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ConnectDialog } from './ConnectDialog.tsx'
import type { ConnectType } from './connect-types.ts'
import type { SystemUser } from './system-user-choice.ts'

const user = (id: string, login_mode: 'auto' | 'manual'): SystemUser => ({
  id,
  name: id,
  username: `${id}-login`,
  priority: 20,
  protocol: 'ssh',
  login_mode,
})
const root = user('root', 'auto')
const typed = user('typed', 'manual')

afterEach(cleanup)

function show(preselected: SystemUser, types: readonly ConnectType[] = ['web']) {
  const onConfirm = vi.fn(async () => {})
  const onClose = vi.fn()
  render(
    <ConnectDialog
      title="web-1"
      choices={[root, typed]}
      preselected={preselected}
      lastUsed={undefined}
      usernameFor={({ username }) => username}
      typesFor={() => types}
      usualTypeFor={() => types[0] as ConnectType}
      onConfirm={onConfirm}
      onClose={onClose}
    />,
  )
  return { onConfirm, onClose }
}

test('[A1.16] Enter confirms what is preselected; ticking the box makes it the choice of next time', async () => {
  const { onConfirm } = show(root)
  await userEvent.click(screen.getByLabelText('Sign in automatically next time'))
  screen.getByRole('button', { name: 'Confirm' }).focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() =>
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith({
      systemUser: root,
      username: '',
      password: '',
      type: 'web',
      remember: true,
    }),
  )
})

test('[A1.16] a manual sign-in begins in the password, takes the name as it stands, and Enter in the field confirms', async () => {
  const { onConfirm } = show(typed)
  expect(screen.getByLabelText('Username')).toHaveProperty('value', 'typed-login')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
  await userEvent.keyboard('s3cret{Enter}')
  await waitFor(() =>
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith({
      systemUser: typed,
      username: 'typed-login',
      password: 's3cret',
      type: 'web',
      remember: false,
    }),
  )
})

test('[A1.16] where there are several ways to connect one is chosen; a client of one’s own needs the password given', async () => {
  const { onConfirm } = show(typed, ['web', 'rdp_client', 'rdp_file'])
  const confirm = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Confirm' })
  expect(screen.getAllByRole('radio')).toHaveLength(3)
  const without = /Files and drives go by the web page alone/
  expect(screen.queryByText(without)).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: 'RDP File' }))
  expect(screen.getByText(without)).toBeTruthy()
  await waitFor(() => expect(confirm().disabled).toBe(true))
  await userEvent.type(screen.getByLabelText('Password'), 's3cret')
  await waitFor(() => expect(confirm().disabled).toBe(false))
  await userEvent.click(confirm())
  await waitFor(() => expect(onConfirm).toHaveBeenCalledOnce())
  expect(onConfirm).toHaveBeenCalledWith(expect.objectContaining({ type: 'rdp_file', password: 's3cret' }))
})

test('[A1.16] only the buttons close the dialog', async () => {
  const { onClose } = show(root)
  await userEvent.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledTimes(1)
})
