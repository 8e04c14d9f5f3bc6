import { Activity, type ReactElement, Suspense, useRef } from 'react'
import {
  type Location,
  UNSAFE_LocationContext as LocationContext,
  matchPath,
  NavigationType,
  useLocation,
  useOutlet,
} from 'react-router'
import type { OpenTab } from '../../navigation/open-tabs.ts'
import type { PageRoute } from '../../navigation/routes.ts'
import { Waiting } from './ProgressBar.tsx'

/** Views beyond these are drawn again when their tab is chosen: each keeps its page in memory. */
const MAX_VIEWS = 8

interface View {
  location: Location
  outlet: ReactElement | null
}

/**
 * Forms are drawn again: they must start from what is stored now, and leaving one with unsaved input
 * is asked about (A4.14).
 */
function keepsView(route: PageRoute | undefined): boolean {
  return route !== undefined && route.cache !== false && !/(Create|Update)$/.test(route.name)
}

export function routeAt(routes: readonly PageRoute[], pathname: string): PageRoute | undefined {
  return routes.find(({ path }) => matchPath({ path, end: true }, pathname))
}

/**
 * The page of the address, and behind it those of the other tabs as they were left: scrolled lists,
 * ticked rows, open branches. What they show is read again when they come to the front. A view
 * behind keeps the location it had, because the address is no longer its own.
 */
export function Views({ routes, tabs }: { routes: readonly PageRoute[]; tabs: readonly OpenTab[] }) {
  const location = useLocation()
  const outlet = useOutlet()
  const views = useRef(new Map<string, View>()).current
  const { pathname } = location
  for (const path of [...views.keys()]) if (!tabs.some((tab) => tab.path === path)) views.delete(path)
  const kept = keepsView(routeAt(routes, pathname))
  if (kept) {
    views.delete(pathname)
    views.set(pathname, { location, outlet })
    for (const path of [...views.keys()].slice(0, -MAX_VIEWS)) views.delete(path)
  }
  // In an order that does not change, so that choosing a tab moves nothing in the document.
  const shown = [...views].sort(([one], [other]) => (one < other ? -1 : 1))
  const round = (path: string) => tabs.find((tab) => tab.path === path)?.round ?? 0
  return (
    <>
      {shown.map(([path, view]) => (
        <Activity key={`${path} ${round(path)}`} mode={path === pathname ? 'visible' : 'hidden'}>
          <LocationContext.Provider value={{ location: view.location, navigationType: NavigationType.Pop }}>
            <Suspense fallback={<Waiting />}>{view.outlet}</Suspense>
          </LocationContext.Provider>
        </Activity>
      ))}
      {!kept && (
        <Suspense key={`${pathname} ${round(pathname)}`} fallback={<Waiting />}>
          {outlet}
        </Suspense>
      )}
    </>
  )
}
