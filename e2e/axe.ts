import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

// Evaluated, not linked: the page's own policy allows no script from elsewhere.
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that the theme matters to. */
export const OF_COLORS: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }
/** What hangs over a page is at the end of the document, outside every landmark. */
export const OVER_THE_PAGE: RunOptions = { rules: { region: { enabled: false } } }

/**
 * What axe finds, a line for each element. Motion has ended before it looks, or colors would be
 * half-way.
 */
export async function violations(page: Page, where: string, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((motion) => motion.finished)))
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const results = await page.evaluate(
    (given) => (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(given),
    { ...options, resultTypes: ['violations' as const], selectors: false },
  )
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${where}: ${id}: ${html.slice(0, 160)}: ${any[0]?.message ?? ''}`),
  )
}
