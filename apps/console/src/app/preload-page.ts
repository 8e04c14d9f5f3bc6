import { matchPath } from 'react-router'
import { addressOf, pageRoutes } from '../navigation/routes.ts'
import { PAGES } from '../pages/registry.ts'
import { MENU } from '../pages/routes.ts'

/**
 * Fetches the code of the page at an address; whether the person may see it is decided later. The
 * answer, to be called once their pages are known, asks the server for what it shows first.
 */
export function preloadPage(pathname: string): () => void {
  const path = pathname.replace(/^\/ui/, '') || '/'
  const name = pageRoutes([...MENU.admin, ...MENU.common, ...MENU.user]).find((one) =>
    matchPath({ path: one.path, end: true }, path),
  )?.name
  const page = name ? PAGES[name]?.preload() : undefined
  // A failed fetch shows when the page itself is wanted.
  page?.catch(() => {})
  return () => {
    if (name && addressOf(name)) void page?.then(({ ask }) => ask?.()).catch(() => {})
  }
}
