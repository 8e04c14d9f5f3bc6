/** The text on the screen of the shown terminal of a page. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Without the spaces that browsers do not break lines at. */
export const screenText = async (page: Page): Promise<string> =>
  ((await page.locator('.wt-pane:not([hidden]) .xterm-rows').textContent()) ?? '').replaceAll('\u00a0', ' ')

/** Waits until the terminal shows it; says what the page shows where it never does. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  try {
    await expect.poll(() => screenText(page)).toMatch(text)
  } catch {
    throw new Error(`The terminal never showed ${text}. The page: ${await page.locator('body').textContent()}`)
  }
}
