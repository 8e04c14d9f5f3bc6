import { matchPath } from 'react-router'
import { ADMIN_MENU, COMMON_PAGES, USER_MENU } from '../navigation/menu.ts'
import { pageRoutes } from '../navigation/routes.ts'
import type { PageRegistry } from '../pages/registry.ts'

/** Fetches the code of the page at an address; whether the person may see it is decided later. */
export function pageAhead(pages: PageRegistry, pathname: string): void {
  const path = pathname.replace(/^\/ui/, '') || '/'
  const route = pageRoutes([...ADMIN_MENU, ...COMMON_PAGES, ...USER_MENU]).find(
    (one) => one.name in pages && matchPath({ path: one.path, end: true }, path),
  )
  // A failed fetch shows when the page itself is wanted.
  pages[route?.name ?? '']?.preload().catch(() => {})
}
