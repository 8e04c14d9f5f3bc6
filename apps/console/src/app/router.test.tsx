import { user } from '@sallyport/contract/resources/users/user.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../lib/query.ts'
import { metadataFor, serve, showRouter, signIn } from '../test/harness.tsx'
import { makeRouter } from './router.tsx'
import { screenOf } from './shell/shell-fixture.tsx'

const BEA = {
  id: 'u2',
  name: 'Bea',
  username: 'bea',
  email: 'bea@example.com',
  source: 'local',
  role: 'User',
  groups: [],
  is_active: true,
}

/** The console as it starts at an address, with one other person stored. */
function open(address: string) {
  history.replaceState(null, '', address)
  queryClient.clear()
  const router = makeRouter()
  showRouter(router)
  return router
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  screenOf(1280)
  signIn()
  vi.stubGlobal('scrollTo', () => {})
  serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(user) }
    if (path === user.path) return { body: { count: 1, next: null, previous: null, results: [BEA] } }
    if (path === `${user.path}u2/`) return { body: BEA }
    return { body: query.has('limit') ? { count: 0, next: null, previous: null, results: [] } : [] }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  history.replaceState(null, '', '/')
})

test('[A2.02 A2.01] an address that no page has ends at /404, which leads back to the start', async () => {
  const router = open('/ui/nowhere/at/all')
  await screen.findByRole('heading', { name: 'Page not found' })
  expect(router.state.location.pathname).toBe('/ui/404')
  screen.getByText('This page does not exist, or you may not open it.')
  await userEvent.click(screen.getByRole('button', { name: 'Back to the start' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/ui/dashboard'))
})

test('[A2.69] /login leads to the sign-in page, with the address to come back to', async () => {
  const assign = vi.fn()
  open('/ui/users/users')
  await screen.findByRole('link', { name: 'Bea' })
  cleanup()
  vi.stubGlobal('location', Object.assign(new URL('http://console/ui/login?next=%2Fui%2Fusers%2Fusers'), { assign }))
  const router = makeRouter()
  showRouter(router)
  await router.navigate('/login?next=%2Fui%2Fusers%2Fusers')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/core/auth/login/?next=%2Fui%2Fusers%2Fusers'))
})

test('[A2.05] the guide welcomes by name and shows the way to the user guide and to the start', async () => {
  const { profile } = signIn()
  signIn({ profile: { ...profile, guide_url: 'https://docs.example/start' } })
  open('/ui/users/first-login/guide/')
  await screen.findByText('Welcome, Ada. Your account is ready.')
  expect(screen.getByRole('link', { name: 'Read the user guide' }).getAttribute('href')).toBe(
    'https://docs.example/start',
  )
  expect(screen.getByRole('link', { name: 'Go to the start page' }).getAttribute('href')).toBe('/ui/')
})

test('[A2.09] people have a list, a page to make one, one to change one and one to look at one', async () => {
  const router = open('/ui/users/users')
  expect((await screen.findByRole('link', { name: 'Bea' })).getAttribute('href')).toBe('/ui/users/users/u2')
  await router.navigate('/users/users/create')
  await screen.findByRole('heading', { name: 'Create user' })
  expect((await screen.findByLabelText<HTMLInputElement>('Username')).value).toBe('')
  await router.navigate('/users/users/u2/update')
  await screen.findByRole('heading', { name: 'Update user' })
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Username').value).toBe('bea'))
  await router.navigate('/users/users/u2')
  await screen.findByRole('heading', { name: /: Bea/ })
  await screen.findByText('bea@example.com')
  expect(screen.queryByRole('alert')).toBeNull()
})
