import { useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showError, showSignedOut } from '../../design/dialogs/feedback.tsx'
import { api, onApi } from '../../lib/api.ts'
import { readCookie } from '../../lib/cookies.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { setUnsaved } from '../../navigation/unsaved.ts'
import { serve, signIn } from '../../test/harness.tsx'
import { plainAddress } from '../router.tsx'
import { connectionLost, connectionWorks } from './connection.ts'
import { screenOf, showShell } from './shell-fixture.tsx'

const MENU: readonly MenuEntry[] = [
  { title: 'Dashboard', path: '/dashboard', name: 'Dashboard' },
  {
    title: 'People',
    path: '/users',
    children: [
      { title: 'Users', path: '/users/users', name: 'UserList' },
      { title: 'Groups', path: '/users/groups', name: 'UserGroupList' },
    ],
  },
  { title: 'Profile', path: '/users/profile', name: 'UserProfile', hidden: true },
]
const toggle = () => screen.getByRole('button', { name: 'Toggle the menu' })
const frame = () => document.querySelector('.shell')?.className

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'sidebarStatus=; path=/; max-age=0'
  screenOf(1280)
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('[A4.08 A4.09 A2.72 B4.12] the sidebar stays open or closed by a cookie: 1 open, 0 closed', async () => {
  const user = userEvent.setup()
  showShell(MENU, '/dashboard')
  expect(frame()).toBe('shell open wide')
  await user.click(toggle())
  expect([frame(), readCookie('sidebarStatus')]).toEqual(['shell closed wide', '0'])
  cleanup()
  showShell(MENU, '/dashboard')
  expect(frame()).toBe('shell closed wide')
  await user.click(toggle())
  expect([frame(), readCookie('sidebarStatus')]).toEqual(['shell open wide', '1'])
})

test('the first stop of the Tab key leads past the frame to the page', async () => {
  const user = userEvent.setup()
  const { router } = showShell(MENU, '/dashboard')
  const first = document.querySelector<HTMLElement>('a[href], button, input, [tabindex="0"]')
  expect(first?.textContent).toBe('Skip to content')
  first?.focus()
  await user.keyboard('{Enter}')
  expect(document.activeElement?.tagName).toBe('MAIN')
  expect(router.state.location.hash).toBe('')
})

test('[A4.11 B4.12 B9.27] under 992 px the sidebar closes and slides over the page; the shade or a chosen page closes it, the cookie stays', async () => {
  const user = userEvent.setup()
  const { resize } = screenOf(992)
  showShell(MENU, '/dashboard')
  expect(frame()).toBe('shell open wide')
  act(() => resize(991))
  expect(frame()).toBe('shell closed narrow')
  await user.click(toggle())
  expect(frame()).toBe('shell open narrow')
  await user.click(document.querySelector('.shade') as Element)
  expect(frame()).toBe('shell closed narrow')
  await user.click(toggle())
  await user.click(await screen.findByText('People'))
  await user.click(await screen.findByRole('link', { name: 'Groups' }))
  await screen.findByRole('heading', { name: 'Groups' })
  expect([frame(), readCookie('sidebarStatus')]).toEqual(['shell closed narrow', undefined])
  act(() => resize(1200))
  expect(frame()).toBe('shell open wide')
})

test('the document has the name of the page and of the service, and the pictures that settings give', async () => {
  signIn({
    settings: { LOGIN_TITLE: 'Harbour', LOGO_URLS: { logo_index: '/media/wide.png', logo_logout: '/media/small.png' } },
  })
  const { router } = showShell(MENU, '/dashboard')
  await waitFor(() => expect(document.title).toBe('Dashboard - Harbour'))
  await act(() => router.navigate('/users/groups'))
  await waitFor(() => expect(document.title).toBe('Groups - Harbour'))
  const logo = () => document.querySelector('.logo img')
  expect([logo()?.getAttribute('src'), logo()?.getAttribute('width'), logo()?.getAttribute('height')]).toEqual([
    '/media/wide.png',
    '165',
    '50',
  ])
  await userEvent.setup().click(toggle())
  expect([logo()?.getAttribute('src'), logo()?.getAttribute('width')]).toEqual(['/media/small.png', '32'])
})

test('[A2.01 B9.32] links of the hash form lead to the same page, query kept', () => {
  expect(plainAddress('/ui/', '', '#/assets/assets?page=2&search=a%2Cb')).toBe('/ui/assets/assets?page=2&search=a%2Cb')
  expect(plainAddress('/ui/', '?oid=DEFAULT', '#/users/users')).toBe('/ui/users/users?oid=DEFAULT')
  expect(plainAddress('/ui/assets/assets', '?page=2', '')).toBeUndefined()
})

test('[A2.73] the bar has bell, Tickets, Web Terminal and account, in a new installation too', () => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  serve(() => ({ body: { count: 0, next: null, previous: null, results: [] } }))
  showShell([...MENU, { title: 'Tickets', path: '/tickets/tickets', name: 'TicketList' }], '/dashboard')
  const bar = within(screen.getByRole('button', { name: 'Toggle the menu' }).parentElement as HTMLElement)
  const names = [...bar.getAllByRole('button'), ...bar.getAllByRole('link')].map(
    (part) => part.getAttribute('aria-label') ?? part.textContent,
  )
  expect(names).toEqual(expect.arrayContaining(['Site messages', 'Tickets', 'Web Terminal', 'Ada']))
})

test('[A2.73 A6.33] the account menu has profile, user page, API key and logout, the languages, and the links to help that settings give', async () => {
  const user = userEvent.setup()
  signIn({ settings: { HELP_DOCUMENT_URL: 'https://docs.example/', HELP_SUPPORT_URL: '' } })
  showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  const items = await screen.findAllByRole('menuitem')
  const names = items.map(({ textContent }) => textContent)
  expect(names).toEqual(expect.arrayContaining(['Profile', 'User page', 'API keys', 'Sign out']))
  // A person who has no password here, and cannot sign in with a key, is not offered to change them.
  expect(names).not.toContain('Change password')
  expect(names).not.toContain('SSH key')
  await user.click(screen.getByRole('menuitem', { name: 'Help' }))
  expect((await screen.findByRole('menuitem', { name: 'Docs' })).getAttribute('href')).toBe('https://docs.example/')
  expect(screen.getByRole('menuitem', { name: 'API reference' }).getAttribute('href')).toBe('/api/docs/')
  expect(screen.queryByRole('menuitem', { name: 'Support' })).toBeNull()
})

test('[B7.04] signing out goes to the one address of it, with the page to come back to', async () => {
  const assign = vi.fn()
  vi.stubGlobal('location', Object.assign(new URL('http://console/ui/users/users?page=2'), { assign }))
  showShell(MENU, '/dashboard')
  await userEvent.click(screen.getByRole('button', { name: 'Ada' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }))
  await waitFor(() => expect(assign.mock.calls).toEqual([['/core/auth/logout/?next=%2Fui%2Fusers%2Fusers%3Fpage%3D2']]))
})

test('the account menu and Ctrl-/ list the keyboard shortcuts; closing it gives the keyboard back', async () => {
  signIn()
  showShell(MENU, '/dashboard')
  const help = screen.getByRole('button', { name: 'Ada' })
  await userEvent.click(help)
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Help' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Keyboard shortcuts' }))
  const shortcuts = async () => within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
  expect((await shortcuts()).getByText('From row to row').closest('div')?.textContent).toContain('↑ ↓')
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(help)
  await userEvent.keyboard('{Control>}/{/Control}')
  await shortcuts()
})

test('[A2.73] the account menu leads to the tabs of one’s own password and SSH key, where they count here', async () => {
  const { profile } = signIn()
  signIn({ profile: { ...profile, source: 'local', can_public_key_auth: true } })
  const { router } = showShell(MENU, '/dashboard')
  for (const [name, tab] of [
    ['Change password', 'PasswordUpdate'],
    ['SSH key', 'SSHUpdate'],
  ] as const) {
    await userEvent.click(screen.getByRole('button', { name: 'Ada' }))
    await userEvent.click(await screen.findByRole('menuitem', { name }))
    await waitFor(() =>
      expect(router.state.location).toMatchObject({ pathname: '/users/profile', search: `?activeTab=${tab}` }),
    )
  }
})

test('[A6.36] the way to the enterprise edition is in the account menu only without a valid license', async () => {
  const settings = { HELP_ENTERPRISE_URL: 'https://license.example/', HELP_DOCUMENT_URL: 'https://docs.example/' }
  const helpWith = async (licensed: boolean) => {
    signIn({ settings: { ...settings, XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: licensed } })
    showShell(MENU, '/dashboard')
    await userEvent.click(screen.getByRole('button', { name: 'Ada' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Help' }))
    await screen.findByRole('menuitem', { name: 'Docs' })
    const links = ['Docs', 'Enterprise edition'].filter((name) => screen.queryByRole('menuitem', { name }) !== null)
    cleanup()
    return links
  }
  expect(await helpWith(false)).toEqual(['Docs', 'Enterprise edition'])
  expect(await helpWith(true)).toEqual(['Docs'])
  // Wherever it leads: without an address of the installation's own, too.
  settings.HELP_ENTERPRISE_URL = ''
  expect(await helpWith(false)).toEqual(['Docs', 'Enterprise edition'])
  expect(await helpWith(true)).toEqual(['Docs'])
})

test('[A6.34] the organization is chosen on admin pages, with a valid license, and nowhere else', () => {
  const selector = (licensed: boolean, role: number) => {
    signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: licensed }, role })
    showShell(MENU, '/dashboard')
    const found = screen.queryByRole('button', { name: 'Current organization: Default' }) !== null
    cleanup()
    return found
  }
  const [ADMIN_PAGES, USER_PAGES] = [146, 1]
  expect([selector(true, ADMIN_PAGES), selector(false, ADMIN_PAGES), selector(true, USER_PAGES)]).toEqual([
    true,
    false,
    false,
  ])
})

test('[B9.31 A4.04 B3.11 B4.10 B7.19] API keys: id, secret behind Show, active, date; made, switched off, deleted', async () => {
  const user = userEvent.setup()
  const key = { id: 'k1', secret: 's-1', is_active: true, date_created: '2026/11/21 07:08:09 +0000' }
  let rows = [key]
  const calls = serve(({ method }) => {
    if (method === 'PATCH') rows = [{ ...key, is_active: false }]
    return { body: method === 'GET' ? rows : {} }
  })
  showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'API keys' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findAllByRole('columnheader')).map(({ textContent }) => textContent)).toEqual([
    'ID',
    'Secret',
    'Active',
    'Date created',
    'Actions',
  ])
  await dialog.findByText('k1')
  expect(dialog.queryByText('s-1')).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Show' }))
  dialog.getByText('s-1')
  await user.click(dialog.getByRole('button', { name: 'Disable' }))
  await dialog.findByRole('button', { name: 'Enable' })
  const sent = (wanted: string) => calls.filter(({ method }) => method === wanted).map(({ path, body }) => [path, body])
  expect(sent('PATCH')).toEqual([['/api/v1/authentication/access-keys/k1/', { is_active: false }]])
  await user.click(dialog.getByRole('button', { name: 'Delete' }))
  const question = within(await screen.findByRole('alertdialog'))
  expect(sent('DELETE')).toEqual([])
  await user.click(question.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(sent('DELETE')).toEqual([['/api/v1/authentication/access-keys/k1/', undefined]]))
  await user.click(await dialog.findByRole('button', { name: 'Create' }))
  await waitFor(() => expect(sent('POST')).toEqual([['/api/v1/authentication/access-keys/', {}]]))
})

test('[B4.07 B9.31] the secret of a key that is not new is shown once the second factor is proven', async () => {
  const user = userEvent.setup()
  const key = { id: 'k1', is_active: true, date_created: '2026/11/21 07:08:09 +0000' }
  let proven = false
  serve(({ method, path }) => {
    if (path === '/api/v1/authentication/otp/verify/' && method === 'POST') proven = true
    const row = { ...key, secret: proven ? 'whole-secret' : '********cret' }
    return { body: path.endsWith('/k1/') ? row : path.endsWith('/access-keys/') ? [row] : {} }
  })
  showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'API keys' }))
  await user.click(await screen.findByRole('button', { name: 'Show' }))
  const box = await screen.findByRole('textbox', { name: 'MFA' })
  expect(screen.queryByText(/\*cret/)).toBeNull()
  await user.type(box, '123456{Enter}')
  await screen.findByText('whole-secret')
})

test('[A1.17 A1.19 B9.30] another language keeps a form with unsaved input until the person says it may be lost', async () => {
  const user = userEvent.setup()
  const form = {}
  setUnsaved(form, true)
  showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: /Language/ }))
  await user.click(await screen.findByRole('menuitem', { name: '中文(简体)' }))
  await user.click(await screen.findByRole('button', { name: 'Stay' }))
  expect([readCookie('django_language'), localStorage.getItem('lang')]).toEqual(['en', null])
  setUnsaved(form, false)
})

test('a lost server shows a banner, its return another, which goes by itself', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onApi({ away: connectionLost, reached: connectionWorks })
  let gone = true
  vi.stubGlobal('fetch', async () => {
    if (gone) throw new TypeError('network')
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  })
  showShell(MENU, '/dashboard')
  await act(() => api.get('/api/v1/assets/assets/', { quiet: true }).catch(() => {}))
  expect(screen.getByRole('alert').textContent).toContain('cannot be reached')
  await act(() => vi.advanceTimersByTimeAsync(2000))
  expect(screen.getByRole('alert').textContent).toContain('cannot be reached')
  gone = false
  await act(() => vi.advanceTimersByTimeAsync(4000))
  expect(screen.getByRole('status').textContent).toContain('can be reached again')
  await act(() => vi.advanceTimersByTimeAsync(4000))
  expect(screen.queryByText(/can be reached again/)).toBeNull()
})

test('a database that is away is reported once, not with each call, and other answers do not end that', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const shown: string[] = []
  onApi({ away: connectionLost, reached: connectionWorks, showError: (text) => shown.push(text) })
  let gone = true
  const asked: string[] = []
  const json = (status: number, body: object) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address)
    if (!gone || address === '/from-memory/') return json(200, {})
    return address === '/api/health/'
      ? json(503, { db_status: false })
      : json(503, { code: 'unavailable', error: 'no' })
  })
  showShell(MENU, '/dashboard')
  for (const path of ['/api/v1/assets/assets/', '/api/v1/assets/nodes/']) await act(() => api.get(path).catch(() => {}))
  await act(() => api.get('/from-memory/'))
  expect(screen.getByRole('alert').textContent).toContain('database does not answer')
  expect(shown).toEqual([])
  // A failed action is reported.
  await act(() => api.post('/api/v1/assets/assets/').catch(() => {}))
  expect(shown).toEqual(['no'])
  asked.length = 0
  await act(() => vi.advanceTimersByTimeAsync(14_000))
  expect(asked).toEqual(['/api/health/', '/api/health/', '/api/health/'])
  gone = false
  await userEvent
    .setup({ advanceTimers: vi.advanceTimersByTime })
    .click(screen.getByRole('button', { name: 'Try now' }))
  await screen.findByText('The database answers again.')
  await act(() => vi.advanceTimersByTimeAsync(4000))
  expect(screen.queryByText(/answers again/)).toBeNull()
})

test('[A2.75 A6.38 B9.21] the password banner warns people of local passwords five days before the end, and can be closed', async () => {
  const user = userEvent.setup()
  const profile = {
    ...signIn().profile,
    source: 'local',
    date_password_last_updated: new Date(Date.now() - 87 * 86_400_000).toISOString(),
  }
  const settings = { SECURITY_PASSWORD_EXPIRATION_TIME: 90 }
  signIn({ settings, profile })
  showShell(MENU, '/dashboard')
  expect(screen.getByRole('alert').textContent).toContain('expires in 3 days')
  await user.click(within(screen.getByRole('alert')).getByRole('button'))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  cleanup()
  signIn({ settings: { SECURITY_PASSWORD_EXPIRATION_TIME: 87 }, profile })
  showShell(MENU, '/dashboard')
  expect(screen.getByRole('alert').textContent).toContain('Password expired')
  cleanup()
  signIn({ settings, profile: { ...profile, source: 'ldap' } })
  showShell(MENU, '/dashboard')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('[A2.76 A1.21 B2.17] the footer has whose license it is and the version, with the license of the program where there is none', () => {
  showShell(MENU, '/dashboard')
  expect(document.querySelector('.footer')?.textContent).toMatch(
    /^Version v\d+\.\d+\.\d+ · Sallyport \d+\.\d+\.\d+ · Licensed under GPLv2 or later$/,
  )
  cleanup()
  signIn({
    settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true, XPACK_LICENSE_INFO: { corporation: 'Harbour Ltd' } },
  })
  showShell(MENU, '/dashboard')
  expect(document.querySelector('.footer')?.textContent).toMatch(
    /^Harbour LtdVersion v2\.19\.1 · Sallyport \d+\.\d+\.\d+$/,
  )
})

test('[B8.02] calls that find nobody signed in open one box, whose only way on is the sign-in page', async () => {
  onApi({ signedOut: () => showSignedOut(() => '/core/auth/login/') })
  serve(() => ({ status: 401, body: { detail: 'no', code: 'not_authenticated' } }))
  showShell(MENU, '/dashboard')
  await act(() => Promise.allSettled([api.get('/api/v1/assets/assets/'), api.get('/api/v1/users/users/')]))
  const boxes = await screen.findAllByRole('dialog')
  expect(boxes).toHaveLength(1)
  expect(
    within(boxes[0] as HTMLElement)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Re-Login'])
})

test('[B9.02 B8.07] an error message stays for five seconds, then it goes by itself', async () => {
  showShell(MENU, '/dashboard')
  vi.useFakeTimers()
  await act(async () => showError('The disk is full'))
  await act(() => vi.advanceTimersByTimeAsync(4900))
  expect(screen.getByRole('alert').textContent).toBe('The disk is full')
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('[B8.13] an API key that could not be deleted, changed or made is reported with the reason, once', async () => {
  const user = userEvent.setup()
  onApi({ showError })
  const key = { id: 'k1', secret: 's-1', is_active: true, ip_group: ['*'], date_created: '2026/11/21 07:08:09 +0000' }
  serve(({ method }) =>
    method === 'GET' ? { body: [key] } : { status: 400, body: { detail: `${method} is not for you`, code: 'refused' } },
  )
  showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'API keys' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(await dialog.findByRole('button', { name: 'Disable' }))
  await screen.findByText('Update failed: PATCH is not for you')
  await user.click(dialog.getByRole('button', { name: 'Create' }))
  await screen.findByText('Create error: POST is not for you')
  await user.click(dialog.getByRole('button', { name: 'Delete' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  await screen.findByText('Delete failed: DELETE is not for you')
  expect(screen.getAllByText(/is not for you/)).toHaveLength(3)
  await dialog.findByText('k1')
})

/** The page below waits for its answer. */
const asked = vi.fn<() => Promise<string>>()
const Late = () => useQuery({ queryKey: ['/late/'], queryFn: asked }).data ?? null

test('a page whose first data does not come shows so at once, says it after five seconds, and asks again when wanted', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let answer: ((text: string) => void) | undefined
  asked.mockImplementation(() => new Promise((resolve) => (answer = resolve)))
  showShell(MENU, '/dashboard', { Dashboard: Late })
  await act(() => vi.advanceTimersByTimeAsync(100))
  expect(document.querySelector('.progress-bar')).not.toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(4000))
  expect(screen.queryByText('The server has not answered yet.')).toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(1100))
  screen.getByText('The server has not answered yet.')
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2))
  await act(async () => answer?.('All is well'))
  await screen.findByText('All is well')
  await waitFor(() => expect(document.querySelector('.progress-bar')).toBeNull())
  expect(screen.queryByText('The server has not answered yet.')).toBeNull()
})
