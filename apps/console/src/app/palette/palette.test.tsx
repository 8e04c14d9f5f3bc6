import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setCatalog } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { forgetTabs } from '../../navigation/open-tabs.ts'
import { serve, signIn } from '../../test/harness.tsx'
import { screenOf, showShell } from '../shell/shell-fixture.tsx'
import { findPages } from './palette.ts'

const MENU: readonly MenuEntry[] = [
  { title: 'Dashboard', path: '/dashboard', name: 'Dashboard' },
  {
    title: 'Assets',
    path: '/assets',
    children: [
      { title: 'Assets@@list', path: '/assets/assets', name: 'AssetList' },
      { title: 'Asset detail', path: '/assets/assets/:id', name: 'AssetDetail', hidden: true },
      { title: 'Labels', path: '/assets/labels', name: 'LabelList' },
    ],
  },
]
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  forgetTabs()
  screenOf(1280)
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  setCatalog({})
})

test('pages are found by title, group and English name, in either language; hidden ones are not', () => {
  setCatalog({ Labels: '标签管理', Assets: '资产管理' })
  expect(findPages(MENU, '标签').map(({ address }) => address)).toEqual(['/assets/labels'])
  expect(findPages(MENU, 'labels').map(({ title }) => title)).toEqual(['标签管理'])
  expect(findPages(MENU, '资产管理 assets').map(({ address }) => address)).toEqual(['/assets/assets', '/assets/labels'])
  expect(findPages(MENU, 'detail')).toEqual([])
})

test('by keyboard alone: Ctrl-K opens, arrows choose, Enter goes to the page, Escape closes', async () => {
  const user = userEvent.setup()
  const { router } = showShell(MENU, '/dashboard')
  await user.keyboard('{Control>}k{/Control}')
  const field = await screen.findByRole('combobox')
  expect(document.activeElement).toBe(field)
  expect(options()).toEqual(['DashboardPage', 'AssetsAssets', 'LabelsAssets'])
  await user.keyboard('{ArrowDown}{ArrowDown}')
  expect(document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent).toBe('LabelsAssets')
  await user.keyboard('{ArrowDown}{ArrowUp}{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'))
  expect(screen.queryByRole('combobox')).toBeNull()
  await user.keyboard('{Meta>}k{/Meta}')
  await screen.findByRole('combobox')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
})

test('objects are asked for once the typing rests, only where the person has their page; a refused list adds nothing', async () => {
  const user = userEvent.setup()
  const calls = serve(({ path }) =>
    path === '/api/v1/assets/assets/'
      ? { body: { count: 1, next: null, previous: null, results: [{ id: 'a1', hostname: 'web-1', ip: '10.0.0.1' }] } }
      : { status: 403, body: { detail: 'no', code: 'permission_denied' } },
  )
  const { router } = showShell(MENU, '/dashboard')
  await user.click(screen.getByRole('button', { name: /Find pages and objects/ }))
  const box = await screen.findByRole('combobox')
  for (const value of ['w', 'web', 'web 10', 'web 10.0']) fireEvent.change(box, { target: { value } })
  await waitFor(() => expect(options()).toEqual(['web-1 (10.0.0.1)Assets']))
  expect(calls.map(({ path, query }) => `${path} ${query.get('search')} ${query.get('limit')}`)).toEqual([
    '/api/v1/assets/assets/ web,10.0 5',
  ])
  await user.keyboard('{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets/a1'))
})

test('the palette acts too: it leads to what can be created, and connects to an asset by its name', async () => {
  const user = userEvent.setup()
  const opened = vi.fn()
  vi.stubGlobal('open', opened)
  const calls = serve(() => ({
    body: { count: 1, next: null, previous: null, results: [{ id: 'a1', hostname: 'web-1', ip: '10.0.0.1' }] },
  }))
  const more: MenuEntry = { title: 'Create label', path: '/assets/labels/create', name: 'LabelCreate', hidden: true }
  const { router } = showShell([...MENU, more], '/dashboard')
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox')
  await user.keyboard('create lab')
  expect(options()).toEqual(['Create labelAction'])
  await user.keyboard('{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels/create'))
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox')
  await user.keyboard('sign o')
  expect(options()).toEqual(['Sign outAction'])
  await user.clear(screen.getByRole('combobox'))
  await user.keyboard('connect t{Enter}web')
  await waitFor(() => expect(options()).toEqual(['Connect to web-1 (10.0.0.1)My assets']))
  await user.keyboard('{Enter}')
  expect([calls.at(-1)?.path, calls.at(-1)?.query.get('search'), opened.mock.calls[0]?.[0]]).toEqual([
    '/api/v1/perms/users/assets/',
    'web',
    '/luna/?login_to=a1',
  ])
})

test('an ordinary person finds the machines granted to them, which open in the web terminal', async () => {
  const user = userEvent.setup()
  const opened = vi.fn()
  vi.stubGlobal('open', opened)
  signIn({ role: 1 })
  const calls = serve(() => ({
    body: { count: 1, next: null, previous: null, results: [{ id: 'a1', hostname: 'web-1', ip: '10.0.0.1' }] },
  }))
  showShell([{ title: 'My assets', path: '/', name: 'MyAssets' }], '/')
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox')
  await user.keyboard('web')
  await screen.findByRole('option', { name: /web-1/ })
  await user.keyboard('{Enter}')
  expect([calls[0]?.path, opened.mock.calls[0]?.[0]]).toEqual(['/api/v1/perms/users/assets/', '/luna/?login_to=a1'])
})
