/** The look of a page beside its content: the order of its texts, the focus, what moves. */
import type { Page } from 'playwright-core'

/** Texts of the first such element that are drawn before those that they come after, where both are in one line. */
export function turned(page: Page, within: string): Promise<string[]> {
  return page
    .locator(within)
    .first()
    .evaluate((box) => {
      const found: string[] = []
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
      let before: DOMRect | undefined
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.nodeValue?.trim()) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const [at] = range.getClientRects()
        if (before && at && Math.abs(at.top - before.top) < 4 && at.left < before.left) found.push(node.nodeValue)
        before = at
      }
      return found
    })
}

/** The element that has the focus where nothing shows it; undefined where something does. */
export function hiddenFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const at = document.activeElement
    if (!at || at === document.body) return 'nothing has the focus'
    const isForced = matchMedia('(forced-colors: active)').matches
    // Some show it on the box around them.
    for (let shown: Element | null = at; shown && shown !== document.body; shown = shown.parentElement) {
      const { outlineStyle, boxShadow } = getComputedStyle(shown)
      if (outlineStyle !== 'none') return undefined
      const isBox = shown.matches(':focus-within') && shown.matches('.search-box, [class*=box]')
      // A shadow is not drawn in the colors of the system.
      if (!isForced && boxShadow !== 'none' && isBox) return undefined
    }
    return at.outerHTML.slice(0, 120)
  })
}

/** From now on, what moves for more than 10 ms. */
export async function watchMotion(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    for (const event of ['animationstart', 'transitionrun'])
      document.addEventListener(event, ({ target }) => {
        for (const motion of target instanceof Element ? target.getAnimations() : [])
          if (Number(motion.effect?.getComputedTiming().activeDuration) > 10)
            moved.push(`${event}: ${(target as Element).outerHTML.slice(0, 100)}`)
      })
  })
  return () => page.evaluate(() => (window as unknown as { moved: string[] }).moved)
}
