/** Pages as they are when what they ask for fails, when there is nothing to show, and with a dialog open. */
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import { goWithin } from './go-within.ts'
import type { Place } from './pages.ts'
import { untilQuiet, watchCalls } from './quiet.ts'

/** An id that no row has. */
const NO_ROW = '00000000-0000-4000-8000-000000000009'
/** Colors are those of the loaded pages. */
const STRUCTURE = { rules: { 'color-contrast': { enabled: false } } }

/** From now on the page's reads fail, as those of a server with a fault do. Answers how many did since the last question. */
async function refuseReads(page: Page): Promise<() => number> {
  let refused = 0
  await page.route('**/api/v1/**', (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    refused++
    const body = JSON.stringify({ code: 'error', detail: 'Nothing can be read now' })
    return route.fulfill({ status: 500, contentType: 'application/json', body })
  })
  return () => {
    const since = refused
    refused = 0
    return since
  }
}

/** A busy machine draws it some time after the answer. */
const offersAgain = (page: Page): Promise<boolean> =>
  page
    .locator('main [role=alert] button', { hasText: /^Try again$/ })
    .first()
    .waitFor({ timeout: 20_000 })
    .then(
      () => true,
      () => false,
    )

/** Faults of pages whose data fails: each should keep its heading, and offer to try again. */
export async function failedPages(page: Page, pages: readonly Place[]): Promise<string[]> {
  const calls = watchCalls(page)
  const refusedNow = await refuseReads(page)
  const found: string[] = []
  for (const { name, path } of pages) {
    calls.reset()
    refusedNow()
    await untilQuiet(page, calls, await goWithin(page, `/ui${path.replace(':id', NO_ROW)}`, 'h1'))
    const shown = await page.evaluate(() => {
      const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
      const buttons = [...document.querySelectorAll('main [role=alert] button')].filter(isShown)
      return {
        headings: [...document.querySelectorAll('h1')].filter((one) => isShown(one) && one.textContent).length,
        again: buttons.some(({ textContent }) => textContent === 'Try again'),
        isForm: [...document.querySelectorAll('main .form-field')].some(isShown),
      }
    })
    if (shown.headings !== 1) found.push(`${name}: ${shown.headings} headings`)
    // The choices of a form say it where they are opened.
    if (refusedNow() > 0 && !shown.again && !shown.isForm && !(await offersAgain(page)))
      found.push(`${name}: nothing says what failed`)
    found.push(...(await violations(page, `${name} failed`, STRUCTURE)))
  }
  await page.unroute('**/api/v1/**')
  return found
}

/** Findings of axe on pages that have nothing to show. */
export async function emptyPages(page: Page, pages: readonly Place[]): Promise<string[]> {
  const calls = watchCalls(page)
  const found: string[] = []
  for (const { name, path } of pages) {
    calls.reset()
    await untilQuiet(page, calls, await goWithin(page, `/ui${path}`, 'h1'))
    found.push(...(await violations(page, `${name} empty`, STRUCTURE)))
  }
  return found
}
