/**
 * Run before each file. Files share a page and its libraries, one after the other, because to load
 * them takes longer than most tests. Modules of our own are evaluated again, and the page is as it
 * was when it was made.
 */
import { afterAll, vi } from 'vitest'
import { keepWhatHidesByDefault } from './hiding-styles.ts'
import { forgetListeners, forgetTimers, watchPage } from './page-traces.ts'

vi.resetModules()
vi.useRealTimers()
vi.unstubAllGlobals()
vi.unstubAllEnvs()
vi.restoreAllMocks()
// Some files are about no page.
if ('document' in globalThis) {
  watchPage()
  keepWhatHidesByDefault()
  empty()
  standInForLayout()
}

afterAll(async () => {
  if (!('document' in globalThis)) return
  const { cleanup } = await import('@testing-library/react')
  cleanup()
  forgetTimers()
  forgetListeners()
})

function empty(): void {
  document.body.replaceChildren()
  document.head.replaceChildren()
  document.title = ''
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name)
  for (const cookie of document.cookie.split('; ')) {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
    document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=0`
  }
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
}

/**
 * jsdom lays nothing out: nothing ever changes its size there, the window is a usual one, and there
 * is no screen to ask about.
 */
function standInForLayout(): void {
  globalThis.ResizeObserver = class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  }
  globalThis.innerWidth = 1440
  window.matchMedia = (media) =>
    Object.assign(new EventTarget(), {
      matches: false,
      media,
      onchange: null,
      addListener: () => {},
      removeListener: () => {},
    }) as MediaQueryList
  Element.prototype.scrollIntoView = () => {}
}
