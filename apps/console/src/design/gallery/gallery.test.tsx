import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { show, signIn } from '../../test/harness.tsx'
import { useAppearance } from '../look/appearance.ts'
import { forgetPreferences } from '../look/preferences.ts'
import { Gallery } from './Gallery.tsx'

const names = Object.keys(import.meta.glob('./*.gallery.tsx')).map((file) => file.replace(/^\.\/|\.gallery\.tsx$/g, ''))

function Page() {
  useAppearance()
  return <Gallery />
}

beforeEach(() => {
  signIn()
  forgetPreferences()
  show(<Page />, '/design', '/design')
})
afterEach(cleanup)

test('the gallery shows examples of each control', () => {
  expect(names).toContain('DateTimePicker')
  for (const name of names) {
    const section = within(screen.getByRole('region', { name }))
    // Each is something to fill in or to press.
    const controls = ['textbox', 'combobox', 'button', 'switch'].flatMap((role) => section.queryAllByRole(role))
    expect([name, controls.length > 0]).toEqual([name, true])
  }
})

test('theme and density of the gallery are switched in place', async () => {
  const { dataset } = document.documentElement
  await userEvent.click(screen.getByRole('button', { name: 'dark' }))
  await userEvent.click(screen.getByRole('button', { name: 'compact' }))
  expect([dataset.theme, dataset.density]).toEqual(['dark', 'compact'])
})
