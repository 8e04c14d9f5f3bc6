import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readCookie } from '../lib/cookies.ts'
import { type Call, serve, signIn } from '../test/harness.tsx'
import { FlashPage } from './FlashPage.tsx'
import { LoginPage } from './LoginPage.tsx'
import { ForgotPasswordPage } from './password/ForgotPasswordPage.tsx'
import { PasswordPage } from './password/PasswordPage.tsx'
import { PasswordResetPage } from './password/PasswordResetPage.tsx'
import { MfaStepPage } from './second-factor/MfaStepPage.tsx'
import { WaitPage } from './WaitPage.tsx'

const settings = {} as Parameters<typeof LoginPage>[0]['settings']
const assign = vi.fn()
beforeEach(() => {
  signIn()
  assign.mockReset()
  vi.stubGlobal('location', { pathname: '/core/auth/login/', search: '', assign, reload: vi.fn() })
  // Without it passwords go as they are, over TLS.
  vi.stubGlobal('crypto', { subtle: undefined })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const sent = (calls: readonly Call[]) =>
  calls.filter(({ method }) => method === 'POST').map(({ body }) => Object.fromEntries(body as URLSearchParams))
const captcha = (key: string) => ({ extra: 'captcha', captcha: { key, image_url: `/core/auth/captcha/image/${key}/` } })
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } })

test('[A1.01] a refusal that asks for the sum shows its picture; the answer goes with the next try, and another picture is available', async () => {
  const calls = serve(({ method, path }) => {
    if (method === 'POST')
      return { status: 400, body: { error: 'password_failed', msg: 'Wrong', form: captcha('first') } }
    if (path.endsWith('/refresh/')) return { body: captcha('second').captcha }
    return { body: { extra: '' } }
  })
  render(<LoginPage settings={settings} />)
  expect(screen.queryByRole('img')).toBeNull()
  type('Username', 'ada')
  type('Password', 'wrong')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  const picture = await screen.findByRole('img', { name: 'Picture of a sum of two numbers' })
  expect(picture.getAttribute('src')).toBe('/core/auth/captcha/image/first/')
  expect(screen.getByRole('alert').textContent).toBe('Wrong')
  fireEvent.click(screen.getByRole('button', { name: 'Another sum' }))
  await waitFor(() => expect(screen.getByRole('img').getAttribute('src')).toContain('second'))
  type('Password', 'right')
  type('Result of the sum in the picture', '42 ')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(sent(calls)).toHaveLength(2))
  expect(sent(calls)[1]).toMatchObject({ username: 'ada', password: 'right', captcha_0: 'second', captcha_1: '42' })
})

test('in a demo the page shows one person of each role, and a press fills the form in', async () => {
  const calls = serve(({ method }) =>
    method === 'POST'
      ? { body: { next: '/ui/' } }
      : { body: { extra: '', demo_accounts: [{ username: 'laura', role: 'Auditor', password: 'Demo-1' }] } },
  )
  render(<LoginPage settings={settings} />)
  expect((await screen.findByRole('listitem')).textContent).toContain('Auditorlaura / Demo-1')
  fireEvent.click(screen.getByRole('button', { name: 'Use the account laura' }))
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(sent(calls)[0]).toMatchObject({ username: 'laura', password: 'Demo-1' }))
})

test('[A1.19] every page before the sign-in has the other language at its top, in its own words', async () => {
  serve(({ path }) =>
    path.includes('flash-message') ? { status: 404, body: {} } : { body: { extra: '', types: [], reviewers: [] } },
  )
  for (const Page of [
    LoginPage,
    ForgotPasswordPage,
    PasswordResetPage,
    PasswordPage,
    MfaStepPage,
    WaitPage,
    FlashPage,
  ]) {
    const { container, unmount } = render(<Page settings={settings} />)
    const heading = await waitFor(() => screen.getByRole('heading', { level: 1 }))
    const [chinese, english] = ['中文', 'English'].map((name) => screen.getByRole('button', { name }))
    expect(container.querySelectorAll('button')[0]).toBe(chinese)
    expect(container.querySelectorAll('button')[1]).toBe(english)
    expect(english?.compareDocumentPosition(heading)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect([chinese?.lang, chinese?.ariaPressed, english?.ariaPressed]).toEqual(['zh-CN', 'false', 'true'])
    fireEvent.click(chinese as HTMLElement)
    expect(readCookie('django_language')).toBe('zh-hans')
    unmount()
    signIn()
  }
})

test('[A3.27] the installation’s own picture is beside the form, and nothing where there is none', () => {
  serve(() => ({ body: { extra: '' } }))
  const pictures = () => [...document.querySelectorAll('.card > img')].map((image) => image.getAttribute('src'))
  const { unmount } = render(<LoginPage settings={settings} />)
  expect(pictures()).toEqual([])
  unmount()
  render(<LoginPage settings={{ ...settings, LOGO_URLS: { login_image: '/media/interface/login_image/1/' } }} />)
  expect(pictures()).toEqual(['/media/interface/login_image/1/'])
})

test('[A1.01] after a wrong sum the password stays, since it was not looked at', async () => {
  serve(({ method }) =>
    method === 'POST'
      ? { status: 400, body: { error: 'captcha_invalid', msg: 'Not right', field: 'captcha', form: captcha('next') } }
      : { body: captcha('now') },
  )
  render(<LoginPage settings={settings} />)
  await screen.findByRole('img')
  type('Username', 'ada')
  type('Password', 'right')
  type('Result of the sum in the picture', '1')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await screen.findByRole('alert')
  expect(screen.getByLabelText('Password')).toHaveProperty('value', 'right')
  expect(screen.getByLabelText('Result of the sum in the picture')).toHaveProperty('value', '')
})

test('[A1.01] staying signed in is offered with its days, and only where it is allowed; a new password is asked for where passwords are kept', async () => {
  const calls = serve(({ method }) =>
    method === 'POST'
      ? { body: { next: '/ui/' } }
      : { body: { extra: '', auto_login_days: 7, forgot_password_url: 'https://directory.example.com/forgot' } },
  )
  render(<LoginPage settings={settings} />)
  fireEvent.click(await screen.findByLabelText('Stay signed in for 7 days'))
  expect(screen.getByRole('link', { name: 'Forgot password' }).getAttribute('href')).toBe(
    'https://directory.example.com/forgot',
  )
  type('Username', 'ada')
  type('Password', 'right')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(sent(calls)[0]).toMatchObject({ auto_login: 'on' }))
  cleanup()
  serve(() => ({ body: { extra: '', auto_login_days: 0 } }))
  render(<LoginPage settings={settings} />)
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(screen.getByRole('link', { name: 'Forgot password' }).getAttribute('href')).toBe('/core/auth/password/forgot/')
})

const openid = { backend: 'OPENID', name: 'OpenID', url: '/core/auth/openid/login/' }

test('[A1.01] a message between two pages leads on by itself, at once with Confirm, or elsewhere with Cancel', async () => {
  vi.stubGlobal('location', { pathname: '/core/common/flash-message/', search: '?code=abc', assign, reload: vi.fn() })
  const words = {
    title: 'Sign in',
    message: 'You are taken to OpenID',
    seconds: 1,
    url: '/there/',
    cancel_url: '/core/auth/login/?admin=1',
  }
  const calls = serve(() => ({ body: words }))
  render(<FlashPage settings={settings} />)
  expect((await screen.findByRole('status')).textContent).toBe(words.message)
  expect(calls[0]?.query.get('code')).toBe('abc')
  expect(screen.getByRole('link', { name: 'Confirm' }).getAttribute('href')).toBe('/there/')
  expect(screen.getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe(words.cancel_url)
  await waitFor(() => expect(assign.mock.calls).toEqual([['/there/']]))
})

test('a message that has run out is said to have, with a way on', async () => {
  vi.stubGlobal('location', { pathname: '/core/common/flash-message/', search: '', assign, reload: vi.fn() })
  serve(() => ({ status: 404, body: { detail: 'Not found.', code: 'object_does_not_exist' } }))
  render(<FlashPage settings={settings} />)
  expect((await screen.findByRole('status')).textContent).toBe('This message has expired.')
  expect(screen.getByRole('link', { name: 'Back to sign-in' }).getAttribute('href')).toBe('/core/auth/login/')
})

test('[A1.01] admin=1 keeps the page, with the other ways as links and the words of a refused sign-in', async () => {
  vi.stubGlobal('location', { pathname: '/core/auth/login/', search: '?admin=1', assign, reload: vi.fn() })
  serve(() => ({ body: { extra: '', refusal: 'This account is inactive.' } }))
  render(<LoginPage settings={{ LOGIN_METHODS: [openid] }} />)
  expect((await screen.findByRole('alert')).textContent).toBe('This account is inactive.')
  expect(screen.getByRole('link', { name: 'OpenID' }).getAttribute('href')).toBe(openid.url)
})

const waiting = { reviewers: ['Ada(ada)'], link: 'https://here/ui/tickets/tickets/1', seconds: 3600, waited: 5 }

test.each([
  [{ msg: 'ok' }, '/core/auth/login/guard/'],
  [{ error: 'login_confirm_error', msg: 'No ticket', data: { ticket_id: '' } }, '/core/auth/login/guard/'],
])('[A3.19] the waiting page goes on to the guard after %j', async (answer, target) => {
  serve(({ path }) => ({ body: path.includes('status') ? answer : waiting }))
  render(<WaitPage settings={settings} />)
  await waitFor(() => expect(assign).toHaveBeenCalledWith(target))
})

test('[A3.19] a rejection is reported and ends the waiting; leaving the page withdraws the request', async () => {
  const calls = serve(({ path }) => ({
    body: path.includes('status')
      ? { error: 'login_confirm_error', msg: 'Rejected', data: { ticket_id: '1' } }
      : waiting,
  }))
  render(<WaitPage settings={settings} />)
  expect((await screen.findByRole('alert')).textContent).toBe('Rejected')
  expect(await screen.findByText('Ada')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Refresh' })).toBeNull()
  fireEvent(window, new Event('pagehide'))
  expect(calls.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

test.each([
  ['passwd_need_update', 'Your password was given to you. Choose one that only you know.'],
  ['passwd_has_expired', 'Your password has expired.'],
  ['passwd_too_simple', 'Your password is too easy to guess.'],
])('[A1.01] who must choose a new password before going on is told why: %s', async (error, why) => {
  const reset = '/core/auth/password/reset/?token=once'
  serve(({ method }) =>
    method === 'POST' ? { status: 400, body: { error, msg: 'Refused', url: reset } } : { body: { extra: '' } },
  )
  render(<LoginPage settings={settings} />)
  type('Username', 'ada')
  type('Password', 'first')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(assign).toHaveBeenCalledOnce())
  const { pathname, search } = new URL(assign.mock.calls[0]?.[0], 'http://here')
  cleanup()
  vi.stubGlobal('location', { pathname, search, assign })
  render(<PasswordResetPage settings={settings} />)
  expect(screen.getByRole('status').textContent).toBe(why)
  cleanup()
  // A person who came by a link has asked for it.
  vi.stubGlobal('location', { pathname, search: '?token=once', assign })
  render(<PasswordResetPage settings={settings} />)
  expect(screen.queryByRole('status')).toBeNull()
})
