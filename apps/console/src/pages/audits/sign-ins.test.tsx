import { orgSignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pageRoutes, setRoutes } from '../../navigation/routes.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { MENU } from '../routes.ts'
import { OwnSignIns } from '../users/sign-ins.tsx'
import { SignInList } from './sign-ins.page.tsx'

const shared = {
  remote_addr: '10.0.0.8',
  city: '',
  date_created: '2026/01/31 09:00:00 +0000',
  date_last_seen: '2026/01/31 09:30:00 +0000',
  is_current: false,
}
const ROWS = [
  {
    ...shared,
    id: 's1',
    kind: 'browser',
    kind_display: 'Browser',
    browser: 'Firefox 143',
    system: 'Windows',
    user_agent: 'Mozilla',
  },
  {
    ...shared,
    id: 's2',
    kind: 'ssh',
    kind_display: 'SSH connection',
    browser: '',
    system: '',
    user_agent: 'OpenSSH_9.2',
  },
  {
    ...shared,
    id: 's3',
    kind: 'private_token',
    kind_display: 'Private token',
    browser: '',
    system: '',
    user_agent: '',
    remote_addr: '',
    date_last_seen: null,
  },
].map((row) => ({ ...row, user: 'Bea(bea)', user_id: 'u2' }))

const answers = () =>
  serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(orgSignIn) }
    if (method === 'DELETE') return { status: 204, body: '' }
    return { body: path === orgSignIn.path ? { count: ROWS.length, next: null, previous: null, results: ROWS } : ROWS }
  })

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(cleanup)

const open = () => show(<SignInList title="Active sign-ins" />, '/audits/sign-ins', '/audits/sign-ins')

test('an administrator ends one sign-in of a person after a question that names it', async () => {
  const calls = answers()
  open()
  const row = (await screen.findByText('OpenSSH_9.2')).closest('tr') as HTMLElement
  await userEvent.click(within(row).getByRole('button', { name: 'Revoke' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(dialog.textContent).toContain('Bea(bea), SSH connection · OpenSSH_9.2, 10.0.0.8')
  expect(calls.some(({ method }) => method === 'DELETE')).toBe(false)
  await userEvent.click(within(dialog).getByRole('button', { name: 'Revoke' }))
  await waitFor(() => expect(calls.find(({ method }) => method === 'DELETE')?.path).toBe(`${orgSignIn.path}s2/`))
})

test('an auditor reads who is signed in and with what, and ends nothing', async () => {
  answers()
  signIn({
    bits: 2,
    role: 2,
    profile: { id: 'u1', name: 'Ada', username: 'ada', role: 'User', admin_or_audit_orgs: [] },
  })
  open()
  setRoutes(pageRoutes(MENU.admin))
  expect(await screen.findByText('Firefox 143 · Windows')).toBeTruthy()
  expect(screen.getByText('never')).toBeTruthy()
  expect(screen.getAllByRole('button', { name: 'Sessions' }).length).toBeGreaterThan(0)
  expect(screen.queryByRole('button', { name: 'Revoke' })).toBeNull()
})

test('on the profile each sign-in says what it is and has its own button', async () => {
  const calls = answers()
  show(<OwnSignIns />, '/users/profile', '/users/profile')
  await userEvent.click(await screen.findByRole('button', { name: 'Revoke Private token' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Revoke' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'DELETE')?.path).toBe('/api/v1/authentication/sessions/s3/'),
  )
  expect(screen.getByRole('button', { name: 'Sign out Firefox 143 · Windows, 10.0.0.8' })).toBeTruthy()
})
