import { vi } from 'vitest'

/** jsdom lays nothing out, so nothing ever changes its size there. */
export function stubResizeObserver(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
}
