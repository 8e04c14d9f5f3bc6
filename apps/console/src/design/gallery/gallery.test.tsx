import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { show, signIn } from '../../test/harness.tsx'
import { useAppearance } from '../appearance.ts'
import { forgetPreferences } from '../preferences.ts'
import { Gallery } from './Gallery.tsx'
import type { GallerySection } from './section.ts'

const sections = Object.values(import.meta.glob<GallerySection>('./*.gallery.tsx', { eager: true, import: 'section' }))

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

test('the gallery shows each control in each of its states', () => {
  expect(sections.length).toBeGreaterThan(2)
  for (const { title, states } of sections) {
    const section = within(screen.getByRole('region', { name: title }))
    expect([title, section.getAllByRole('figure').length]).toEqual([title, states.length])
  }
})

test('theme and density of the gallery are switched in place', async () => {
  const { dataset } = document.documentElement
  await userEvent.click(screen.getByRole('button', { name: 'dark' }))
  await userEvent.click(screen.getByRole('button', { name: 'compact' }))
  expect([dataset.theme, dataset.density]).toEqual(['dark', 'compact'])
})
