import { matchPath } from 'react-router'
import { pageRoutes } from '../navigation/routes.ts'
import { PAGES } from '../pages/registry.ts'
import { MENU } from '../pages/routes.ts'

/** Fetches the code of the page at an address; whether the person may see it is decided later. */
export function preloadPage(pathname: string): void {
  const path = pathname.replace(/^\/ui/, '') || '/'
  const route = pageRoutes([...MENU.admin, ...MENU.common, ...MENU.user]).find((one) =>
    matchPath({ path: one.path, end: true }, path),
  )
  // A failed fetch shows when the page itself is wanted.
  PAGES[route?.name ?? '']?.preload().catch(() => {})
}
