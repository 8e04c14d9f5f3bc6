/**
 * When the console's own font (`font.css`) is drawn. It is fetched once a page stands, outside of
 * the first paint, and the browser keeps it. Letters never change while somebody reads: where the
 * font is there before any text, text is drawn in it, and otherwise from the next page on.
 */
import { whenIdle } from '../../lib/when-idle.ts'

/** In local storage: this browser has fetched the font. */
const KEY = 'console_font'
const FACE = '1em "Inter Variable"'

/**
 * Call it before the first text is drawn.
 * @returns when the font has been fetched for the first time, what draws the page in it
 */
export function startOwnFont(): Promise<() => void> {
  // Tests have documents without fonts.
  const fonts: FontFaceSet | undefined = document.fonts
  const show = () => {
    document.documentElement.dataset.font = 'own'
  }
  return new Promise((resolve) => {
    if (!fonts) return
    const isKept = localStorage.getItem(KEY) !== null
    if (isKept) show()
    const fetchFont = () =>
      fonts.load(FACE).then(
        () => {
          localStorage.setItem(KEY, 'kept')
          if (!isKept) resolve(show)
        },
        // The system's letters do.
        () => {},
      )
    if (isKept) void fetchFont()
    else whenIdle(() => void fetchFont())
  })
}
