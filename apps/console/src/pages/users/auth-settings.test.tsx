import { user } from '@sallyport/contract/resources/users/user.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { Profile } from './Profile.page.tsx'
import { userPages } from './user.page.tsx'

const ON = { AUTH_WECOM: true, AUTH_FEISHU: true }
const assign = vi.fn()
const PROFILE = '/api/v1/users/profile/'
const VERIFY = '/api/v1/authentication/password/verify/'

beforeEach(() => {
  localStorage.clear()
  assign.mockReset()
  signIn({ settings: ON })
  vi.stubGlobal('location', {
    pathname: '/ui/users/profile',
    search: '?activeTab=ProfileInfo',
    href: 'http://localhost/ui/',
    assign,
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const posted = (calls: readonly Call[]) => calls.filter(({ method }) => method === 'POST').map(({ path }) => path)
const me = { id: 'u1', username: 'ada', name: 'Ada', source: 'local', is_wecom_bound: false, is_feishu_bound: true }

test('[A2.03] sign-ins that are switched on are bound and unbound on the profile, each time behind the password', async () => {
  const calls = serve(({ method, path, body }) => {
    if (method === 'OPTIONS') return { body: metadataFor(user) }
    if (path === PROFILE) return { body: me }
    if (path === VERIFY && (body as { password: string }).password !== 'right')
      return { status: 400, body: { detail: 'The password is incorrect', code: 'passwd_invalid' } }
    return { body: path.includes('subscription') ? { user_id: 'u1', receive_backends: [] } : '' }
  })
  show(<Profile title="Profile" />, '/users/profile', '/users/profile')
  await userEvent.click(await screen.findByRole('button', { name: 'WeCom sign-in: Bind' }))
  expect(screen.queryByText('DingTalk sign-in')).toBeNull()
  await userEvent.type(await screen.findByLabelText('Password'), 'wrong{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('The password is incorrect')
  expect(assign).not.toHaveBeenCalled()
  await userEvent.type(screen.getByLabelText('Password'), 'right{Enter}')
  await waitFor(() =>
    expect(assign.mock.calls).toEqual([
      ['/core/auth/wecom/qr/bind/?redirect_url=%2Fui%2Fusers%2Fprofile%3FactiveTab%3DProfileInfo'],
    ]),
  )
  await userEvent.click(screen.getByRole('button', { name: 'FeiShu sign-in: Unbind' }))
  await userEvent.type(await screen.findByLabelText('Password'), 'right{Enter}')
  await waitFor(() =>
    expect(posted(calls)).toEqual([VERIFY, VERIFY, VERIFY, '/api/v1/authentication/feishu/qr/unbind/']),
  )
})

test('an administrator unbinds a person on their page, after a question', async () => {
  const row = {
    id: 'u2',
    name: 'Bea',
    username: 'bea',
    is_wecom_bound: true,
    is_dingtalk_bound: false,
    can_update: true,
  }
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(user) }
    if (method === 'GET')
      return { body: path === `${user.path}u2/` ? row : { count: 0, next: null, previous: null, results: [] } }
    return { body: '' }
  })
  show(<DetailPage pages={userPages} base="User" title="User" />, '/users/users/u2', '/users/users/:id')
  await userEvent.click(await screen.findByRole('button', { name: 'Unbind WeCom' }))
  expect(screen.queryByRole('button', { name: 'Unbind DingTalk' })).toBeNull()
  const dialog = within(await screen.findByRole('dialog', { name: /Unbind Bea from WeCom\?/ }))
  await userEvent.click(dialog.getByRole('button', { name: 'Unbind' }))
  await waitFor(() => expect(posted(calls)).toEqual(['/api/v1/authentication/wecom/qr/unbind/u2/']))
})
