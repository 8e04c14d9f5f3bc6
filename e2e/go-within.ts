import type { Page } from 'playwright-core'

/**
 * Goes to another page of the console that is open, without loading it again: as a step back or
 * forward in the browser does. Answers the selector of what the new page shows of `sign`: what the
 * old one showed of it is marked.
 */
export async function goWithin(page: Page, address: string, sign: string): Promise<string> {
  await page.evaluate(
    ([to, shown]) => {
      for (const old of document.querySelectorAll(shown)) old.setAttribute('data-left', '')
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: null }))
    },
    [address, sign] as const,
  )
  return `:is(${sign}):not([data-left])`
}
