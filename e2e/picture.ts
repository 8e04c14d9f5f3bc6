/**
 * Pictures of pages: with `SALLYPORT_PICTURES=1` each is kept in a
 * folder of its own in `test-results`.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page, PageScreenshotOptions } from 'playwright-core'

/** Takes the pictures of a test file. Without the variable, to draw each would only take time. */
export function picturesIn(folder: string) {
  const path = fileURLToPath(new URL(`../test-results/${folder}/`, import.meta.url))
  return async (page: Page, name: string, options: PageScreenshotOptions = {}): Promise<void> => {
    if (!process.env.SALLYPORT_PICTURES) return
    mkdirSync(path, { recursive: true })
    await page.screenshot({ ...options, path: `${path}${name}.png` })
  }
}
