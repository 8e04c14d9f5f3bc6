/**
 * What jsdom's own style sheet says of elements, cut down to what hides them. jsdom tries each of
 * its rules on each element that is looked for by its role or clicked, which was a sixth of the time
 * of all tests of the console; tests see what is shown, not how it looks.
 */
import { createRequire } from 'node:module'

interface Sheet {
  cssRules: { _list: Rule[] }
}
interface Rule {
  style?: { cssText: string }
  cssRules?: Sheet['cssRules']
}

const place = globalThis as typeof globalThis & { hasHidingStyles?: boolean }

/** Does so once for a worker: jsdom reads its sheet when it is first asked how an element looks. */
export function keepWhatHidesByDefault(): void {
  if (place.hasHidingStyles) return
  place.hasHidingStyles = true
  const sheets = createRequire(import.meta.url)('jsdom/lib/generated/idl/CSSStyleSheet.js')
  const { createImpl } = sheets
  let own: Sheet | undefined
  sheets.createImpl = (...parameters: unknown[]) => {
    const sheet = createImpl(...parameters)
    own ??= sheet
    return sheet
  }
  getComputedStyle(document.documentElement)
  sheets.createImpl = createImpl
  if (!own) throw new Error('jsdom reads its own style sheet in another way than it did')
  keepIn(own.cssRules)
}

function keepIn(rules: Sheet['cssRules']): void {
  for (const { cssRules } of rules._list) if (cssRules) keepIn(cssRules)
  rules._list = rules._list.filter(
    ({ style, cssRules }) =>
      cssRules?._list.length || /(^|[\s;])(display|visibility|pointer-events):/.test(style?.cssText ?? ''),
  )
}
