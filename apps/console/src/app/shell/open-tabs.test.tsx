import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetPreferences, prefer, preferences } from '../../design/look/preferences.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import {
  changeTabs,
  endTab,
  forgetTabs,
  MAX_TABS,
  type OpenTab,
  onlyAffix,
  onlyTab,
  withoutTab,
  withTab,
} from '../../navigation/open-tabs.ts'
import { signIn } from '../../test/harness.tsx'
import { screenOf, showShell } from './shell-fixture.tsx'

const MENU: readonly MenuEntry[] = [
  { title: 'Dashboard', path: '/dashboard', name: 'Dashboard', affix: true },
  { title: 'Assets', path: '/assets', name: 'AssetList' },
  { title: 'Users', path: '/users', name: 'UserList' },
  { title: 'Create asset', path: '/assets/create', name: 'AssetCreate', hidden: true },
]
/** Holds something that is in no address, and shows its query. */
function Page() {
  const [count, setCount] = useState(0)
  const [query] = useSearchParams()
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      counted {count} page {query.get('page')}
    </button>
  )
}
const CONTENTS = { AssetList: Page, UserList: Page, AssetCreate: Page }
const open = (address: string) => showShell(MENU, address, CONTENTS)
const strip = () => within(screen.getByRole('navigation', { name: 'Open pages' }))
const titles = () =>
  strip()
    .getAllByRole('link')
    .map(({ textContent }) => textContent)
const tab = (path: string, affix = false): OpenTab => ({ path, address: path, title: path, affix })

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  forgetTabs()
  forgetPreferences()
  screenOf(1280)
  signIn()
  prefer({ tabs: true })
})
afterEach(cleanup)

test('[A4.12 A4.13] a tab is added only when its path is new; another query of a known path changes its address', async () => {
  const { router } = open('/assets?page=2')
  expect(titles()).toEqual(['Dashboard', 'Assets'])
  await act(() => router.navigate('/users'))
  await act(() => router.navigate('/assets?page=3'))
  expect(titles()).toEqual(['Dashboard', 'Assets', 'Users'])
  await act(() => router.navigate('/users'))
  expect(strip().getByRole('link', { name: 'Assets' }).getAttribute('href')).toBe('/assets?page=3')
})

test('[A4.14] a view is kept as it was left, with its own address; a form is drawn again', async () => {
  const user = userEvent.setup()
  const { router } = open('/assets?page=2')
  await user.click(screen.getByRole('button', { name: /counted/ }))
  await act(() => router.navigate('/users'))
  expect(screen.getByRole('button', { name: /counted/ }).textContent).toBe('counted 0 page ')
  await user.click(strip().getByRole('link', { name: 'Assets' }))
  expect(screen.getByRole('button', { name: /counted/ }).textContent).toBe('counted 1 page 2')
  await act(() => router.navigate('/assets/create'))
  await user.click(screen.getByRole('button', { name: /counted/ }))
  await act(() => router.navigate('/assets'))
  await user.click(strip().getByRole('link', { name: 'Create asset' }))
  expect(screen.getByRole('button', { name: /counted/ }).textContent).toBe('counted 0 page ')
})

test('[A4.15] affix tabs survive close, close others and close all', async () => {
  const tabs = [tab('/dashboard', true), tab('/a'), tab('/b')]
  expect(withoutTab(tabs, '/dashboard')).toEqual(tabs)
  expect(onlyTab(tabs, '/b').map(({ path }) => path)).toEqual(['/dashboard', '/b'])
  expect(onlyAffix(tabs).map(({ path }) => path)).toEqual(['/dashboard'])
  const user = userEvent.setup()
  const { router } = open('/assets')
  await act(() => router.navigate('/users'))
  await user.click(screen.getByRole('button', { name: 'Tab actions' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Close others' }))
  expect(titles()).toEqual(['Dashboard', 'Users'])
  await user.click(screen.getByRole('button', { name: 'Tab actions' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Close all' }))
  await waitFor(() => expect(titles()).toEqual(['Dashboard']))
  expect(router.state.location.pathname).toBe('/dashboard')
})

test('closing the page on screen goes to the last tab left; a middle click and the Delete key close too, arrows move', async () => {
  const user = userEvent.setup()
  const { router } = open('/assets')
  await act(() => router.navigate('/users'))
  await user.click(screen.getByRole('button', { name: 'Close Users' }))
  await waitFor(() => expect(titles()).toEqual(['Dashboard', 'Assets']))
  expect(router.state.location.pathname).toBe('/assets')
  strip().getByRole('link', { name: 'Dashboard' }).focus()
  await user.keyboard('{Delete}{ArrowRight}')
  expect(document.activeElement?.textContent).toBe('Assets')
  await user.keyboard('{Delete}')
  await waitFor(() => expect(titles()).toEqual(['Dashboard']))
  await act(() => router.navigate('/users'))
  fireEvent(
    strip().getByRole('link', { name: 'Users' }),
    new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 }),
  )
  await waitFor(() => expect(titles()).toEqual(['Dashboard']))
})

test('Refresh draws the page of a tab again', async () => {
  const user = userEvent.setup()
  open('/assets')
  await user.click(screen.getByRole('button', { name: /counted/ }))
  await user.click(screen.getByRole('button', { name: 'Tab actions' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Refresh' }))
  await waitFor(() => expect(screen.getByRole('button', { name: /counted/ }).textContent).toBe('counted 0 page '))
})

test('tabs are remembered for the browser session, each organization and role with its own', async () => {
  const { router } = open('/assets?page=2')
  await act(() => router.navigate('/users'))
  cleanup()
  forgetTabs()
  open('/users')
  expect(titles()).toEqual(['Dashboard', 'Assets', 'Users'])
  expect(strip().getByRole('link', { name: 'Assets' }).getAttribute('href')).toBe('/assets?page=2')
  cleanup()
  signIn({ org: { id: 'other', name: 'Other' } })
  open('/users')
  expect(titles()).toEqual(['Dashboard', 'Users'])
})

test('the tab of a form that was saved goes when the form is left', async () => {
  const { router } = open('/assets/create')
  endTab('/assets/create')
  expect(titles()).toEqual(['Dashboard', 'Create asset'])
  await act(() => router.navigate('/assets'))
  expect(titles()).toEqual(['Dashboard', 'Assets'])
})

test('tabs beyond the limit push out the oldest that is not affix; broken memory is no memory', () => {
  const full = Array.from({ length: MAX_TABS }, (_, index) => tab(`/${index}`, index === 0))
  const next = withTab(full, tab('/new'))
  expect([next.length, next[0]?.path, next[1]?.path, next.at(-1)?.path]).toEqual([MAX_TABS, '/0', '/2', '/new'])
  sessionStorage.setItem('open_tabs_ada_00000000-0000-0000-0000-000000000002_146', '[{"path":1}, null]')
  changeTabs((tabs) => {
    expect(tabs).toEqual([])
    return tabs
  })
})

test('the tab of the page on screen is in view, also when it pushed out another or got its title later', async () => {
  const inView = vi.spyOn(Element.prototype, 'scrollIntoView')
  const { router } = open('/assets')
  act(() =>
    changeTabs((tabs) => [...tabs, ...Array.from({ length: MAX_TABS - tabs.length }, (_, index) => tab(`/${index}`))]),
  )
  await act(() => router.navigate('/users'))
  expect((inView.mock.contexts.at(-1) as Element).textContent).toBe('Users')
  act(() => changeTabs((tabs) => tabs.map((one) => (one.path === '/users' ? { ...one, title: 'User: Ada' } : one))))
  expect((inView.mock.contexts.at(-1) as Element).textContent).toBe('User: Ada')
})

test('there are no tabs until a person turns them on in the account menu; the others stay without, and they can be turned off again', async () => {
  const user = userEvent.setup()
  prefer({ tabs: false })
  open('/assets')
  expect(screen.queryByRole('navigation', { name: 'Open pages' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Turn page tabs on' }))
  expect(titles()).toContain('Assets')
  signIn({ profile: { ...signIn().profile, username: 'bob' } })
  expect(preferences().tabs).toBe(false)
  signIn()
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Turn page tabs off' }))
  await waitFor(() => expect(screen.queryByRole('navigation', { name: 'Open pages' })).toBeNull())
  expect(screen.getByRole('button', { name: /counted/ })).toBeDefined()
  expect(preferences().tabs).toBe(false)
})
