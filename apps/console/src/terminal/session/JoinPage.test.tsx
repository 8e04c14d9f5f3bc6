import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Viewer } from '../viewer.ts'
import { JoinPage } from './JoinPage.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[B8.19] a person who joins a session whose node is down sees that, and may try another time', async () => {
  vi.stubGlobal('matchMedia', () =>
    Object.assign(new EventTarget(), { matches: false, addListener() {}, removeListener() {} }),
  )
  // Nothing listens there.
  vi.stubGlobal('location', new URL('http://127.0.0.1:1/luna/'))
  const viewer = { profile: { id: 'u1', name: 'Ada', username: 'ada' }, settings: {} } as unknown as Viewer
  render(<JoinPage viewer={viewer} shareId="share" code="1234" />)
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findByRole('alert')).textContent).toBe('Node is unavailable, please contact administrator')
  dialog.getByLabelText('The code that came with the link')
})
