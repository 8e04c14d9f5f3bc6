import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { signIn } from '../../test/harness.tsx'
import { noteVisit, oftenUsed } from './often-used.ts'
import { screenOf, showShell } from './shell-fixture.tsx'

const MENU: readonly MenuEntry[] = [
  { title: 'Dashboard', path: '/dashboard', name: 'Dashboard' },
  {
    title: 'People',
    path: '/users',
    children: [
      { title: 'Users', path: '/users/users', name: 'UserList' },
      { title: 'Groups', path: '/users/groups', name: 'UserGroupList' },
      { title: 'User', path: '/users/users/:id', name: 'UserDetail', hidden: true, active: '/users/users' },
    ],
  },
  {
    title: 'Assets',
    path: '/assets',
    children: [
      { title: 'Machines', path: '/assets/assets', name: 'AssetList' },
      { title: 'Labels', path: '/assets/labels', name: 'LabelList' },
    ],
  },
]
const menu = () => within(screen.getByRole('navigation', { name: 'Main menu' }))
const group = (name: string) => menu().getByRole('button', { name })
const focused = () => document.activeElement?.textContent

beforeEach(() => {
  localStorage.clear()
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'sidebarStatus=; path=/; max-age=0'
  screenOf(1280)
  signIn()
})
afterEach(cleanup)

test('the group of the page on screen is open, alone; its list stays lit while one of its rows is shown', async () => {
  const { router } = showShell(MENU, '/users/users/1')
  expect(menu().getByRole('link', { name: 'Users' }).getAttribute('aria-current')).toBe('page')
  await userEvent.click(group('Assets'))
  expect(menu().queryByRole('link', { name: 'Users' })).toBeNull()
  expect([group('People'), group('Assets')].map((one) => one.getAttribute('aria-expanded'))).toEqual(['false', 'true'])
  await act(() => router.navigate('/dashboard'))
  expect(menu().getByRole('link', { name: 'Dashboard' }).getAttribute('aria-current')).toBe('page')
})

test('a group that somebody opened stays open while the address leads on, as to the first page', async () => {
  const { router } = showShell(MENU, '/users/users')
  await userEvent.click(group('Assets'))
  await act(() => router.navigate('/users/groups', { replace: true }))
  expect(group('Assets').getAttribute('aria-expanded')).toBe('true')
})

test('the menu is one stop of the Tab key, at the page on screen; arrows move, open and close', async () => {
  const user = userEvent.setup()
  showShell(MENU, '/users/groups')
  const stops = () => menu().getAllByRole('link').concat(menu().getAllByRole('button'))
  expect(stops().filter((one) => one.tabIndex === 0 && one.className !== 'logo')).toHaveLength(1)
  menu().getByRole('link', { name: 'Groups' }).focus()
  await user.keyboard('{ArrowDown}')
  expect(focused()).toBe('Assets')
  await user.keyboard('{ArrowRight}{ArrowDown}{ArrowDown}')
  expect(focused()).toBe('Labels')
  await user.keyboard('{ArrowLeft}')
  expect(focused()).toBe('Assets')
  await user.keyboard('{ArrowLeft}')
  expect(menu().queryByRole('link', { name: 'Labels' })).toBeNull()
  await user.keyboard('{Home}{Enter}')
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Dashboard' })).toBeDefined())
})

test('beside icons a group opens in a box, which Escape or a chosen page closes', async () => {
  const user = userEvent.setup()
  const { router } = showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Toggle the menu' }))
  await user.click(group('People'))
  expect(focused()).toBe('Users')
  await user.keyboard('{Escape}')
  expect([focused(), menu().queryByRole('link', { name: 'Users' })]).toEqual(['People', null])
  await user.keyboard('{Enter}{ArrowDown}{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe('/users/groups'))
  expect(menu().queryByRole('link', { name: 'Groups' })).toBeNull()
})

test('pages that somebody comes to again and again are at the top, in the order of the menu', async () => {
  const minutes = (count: number) => count * 60_000
  for (let visit = 0; visit < 4; visit++) {
    noteVisit('ada', '/assets/labels', minutes(20 * (visit + 1)))
    noteVisit('ada', '/users/groups', minutes(20 * (visit + 1)))
    // To and fro is one use.
    for (let again = 0; again < 4; again++) noteVisit('ada', '/users/users', minutes(20 + again))
    // Always in sight.
    noteVisit('ada', '/dashboard', minutes(20 * (visit + 1)))
  }
  showShell(MENU, '/dashboard')
  const often = await menu().findByRole('list', { name: 'Often used' })
  const links = () => within(often).getAllByRole('link')
  expect(links().map(({ textContent }) => textContent)).toEqual(['Groups', 'Labels'])
  await userEvent.click(within(often).getByRole('link', { name: 'Labels' }))
  await waitFor(() => expect(links()[1]?.getAttribute('aria-current')).toBe('page'))
  await userEvent.click(screen.getByRole('button', { name: 'Toggle the menu' }))
  await waitFor(() => expect(menu().queryByRole('list', { name: 'Often used' })).toBeNull())
})

test('older habits give way to newer ones', () => {
  const days = (count: number) => count * 86_400_000
  for (let day = 1; day <= 70; day++) noteVisit('ada', '/users/users', days(day))
  for (let day = 71; day <= 140; day++) for (const page of ['/a', '/b', '/c', '/d']) noteVisit('ada', page, days(day))
  const page = (path: string): MenuEntry => ({ title: path, path, name: path })
  const entries = [{ title: 'All', path: '/', children: ['/users/users', '/a', '/b', '/c', '/d'].map(page) }]
  expect(oftenUsed('ada', entries).map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d'])
})
