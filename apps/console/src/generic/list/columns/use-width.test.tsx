import { act, cleanup, render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { useWidth } from './use-width.ts'

/** As the browser does: reports to the observer how wide the element is. */
let tell: (width: number) => void = () => {}

class Observer {
  constructor(callback: (entries: readonly { contentRect: { width: number } }[]) => void) {
    tell = (width) => callback([{ contentRect: { width } }])
  }
  observe() {}
  disconnect() {}
}

function Box({ isBesideTree = false }) {
  const box = useRef<HTMLDivElement>(null)
  return (
    <div ref={box} role="note">
      {useWidth(box, isBesideTree)}
    </div>
  )
}
const shown = () => Number(screen.getByRole('note').textContent)

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('how wide a list is, the browser tells before it paints: nothing asks for it while the page is drawn, and out of sight it stays as it was', () => {
  vi.stubGlobal('ResizeObserver', Observer)
  const asked = vi.spyOn(Element.prototype, 'getBoundingClientRect')
  render(<Box />)
  expect(shown()).toBe(window.innerWidth - 259)
  // As a page is that comes behind another one: not yet in sight.
  tell(0)
  expect(shown()).toBe(window.innerWidth - 259)
  // Without waiting for anything: the frame is painted right after.
  tell(700.5)
  expect(shown()).toBe(700)
  act(() => tell(640))
  expect(shown()).toBe(640)
  act(() => tell(0))
  expect(shown()).toBe(640)
  expect(asked).not.toHaveBeenCalled()
})

test('before it is measured, a list beside a tree has the room that the tree leaves', () => {
  vi.stubGlobal('innerWidth', 1280)
  vi.stubGlobal('ResizeObserver', Observer)
  render(<Box isBesideTree />)
  // The tree has a fifth, but at least 240 pixels, and a gap.
  expect(shown()).toBe(1280 - 259 - 240 - 16)
})
