import { act, cleanup, renderHook, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { screenOf, showShell } from '../../app/shell/shell-fixture.tsx'
import { forgetTabs } from '../../navigation/open-tabs.ts'
import { signIn } from '../../test/harness.tsx'
import { useAppearance } from './appearance.ts'
import { forgetPreferences, prefer, preferences } from './preferences.ts'

let system: EventTarget & { matches: boolean }
const attributes = () => [document.documentElement.dataset.theme, document.documentElement.dataset.density]

beforeEach(() => {
  localStorage.clear()
  forgetPreferences()
  forgetTabs()
  signIn()
  system = Object.assign(new EventTarget(), { matches: true })
  window.matchMedia = () => system as unknown as MediaQueryList
})
afterEach(cleanup)

test('colors follow the system, also while the page is open, until the person chooses', () => {
  renderHook(useAppearance)
  expect(attributes()).toEqual(['dark', 'comfortable'])
  act(() => {
    system.matches = false
    system.dispatchEvent(new Event('change'))
  })
  expect(attributes()).toEqual(['light', 'comfortable'])
  act(() => prefer({ theme: 'dark', density: 'compact' }))
  expect(attributes()).toEqual(['dark', 'compact'])
})

test('the choice is remembered for each person; what is stored wrongly counts as no choice', () => {
  prefer({ theme: 'dark' })
  forgetPreferences()
  expect(preferences().theme).toBe('dark')
  signIn({ profile: { ...signIn().profile, username: 'bob' } })
  localStorage.setItem('console_preferences_bob', '{"theme":"pink","density":7,"tabs":"no"}')
  expect(preferences()).toEqual({ tabs: false, theme: 'system', density: 'comfortable' })
  signIn({ profile: { ...signIn().profile, username: 'eve' } })
  localStorage.setItem('console_preferences_eve', 'not json')
  expect(preferences().theme).toBe('system')
})

test('colors and spacing are chosen in the account menu', async () => {
  const user = userEvent.setup()
  screenOf(1280)
  showShell([{ title: 'Dashboard', path: '/dashboard', name: 'Dashboard' }], '/dashboard')
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Dark' }))
  await user.click(screen.getByRole('button', { name: 'Ada' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Compact spacing' }))
  expect(preferences()).toEqual({ tabs: false, theme: 'dark', density: 'compact' })
})
