import type { Page } from 'playwright-core'

/**
 * Things without room in the window: a document that scrolls sideways, controls and texts beyond its
 * edge, texts that are cut and say so nowhere. What is in a box that scrolls has its room there.
 */
export function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth
    if (beyond > 0) found.push(`${beyond} px too wide`)
    const hasRoom = (element: Element): boolean => {
      for (let box: Element | null = element; box; box = box.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(box)
        if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return true
      }
      return false
    }
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const isControl = element.matches('button, a, input, textarea, [role=tab], [role=combobox]')
      const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim())
      if (!isControl && !hasText) continue
      const { left, right, width } = element.getBoundingClientRect()
      // Those for screen readers alone have next to none.
      if (width <= 1) continue
      const isBeyond = right > innerWidth + 1 || left < -1
      const isCut =
        hasText &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 0 &&
        getComputedStyle(element).overflowX !== 'visible' &&
        !element.matches('input, textarea')
      if (!(isBeyond || isCut) || !element.checkVisibility({ visibilityProperty: true }) || hasRoom(element)) continue
      found.push(`${isBeyond ? 'beyond the edge' : 'cut'}: ${element.outerHTML.slice(0, 120)}`)
    }
    return [...new Set(found)].slice(0, 8)
  })
}
