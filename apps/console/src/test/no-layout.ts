/** jsdom lays nothing out: nothing ever changes its size there, and the window is a usual one. */
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.innerWidth = 1440
