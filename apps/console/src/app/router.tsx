import { Suspense, useEffect } from 'react'
import { createBrowserRouter, Navigate, Outlet, type RouteObject, useLocation } from 'react-router'
import { t } from '../lib/i18n.ts'
import {
  groupRedirects,
  type PageRoute,
  pageRoutes,
  setRoutes,
  tabRedirects,
  viewerMenu,
} from '../navigation/routes.ts'
import { PAGES } from '../pages/registry.ts'
import { MENU } from '../pages/routes.ts'
import { licenseValid, onAdminPages, session } from '../session/session.ts'
import { loginAddress } from '../session/start.ts'
import { NotFound } from './NotFound.tsx'
import { PageError } from './PageError.tsx'
import { Waiting } from './shell/ProgressBar.tsx'
import { Shell } from './shell/Shell.tsx'

const FIRST_LOGIN = '/users/first-login/personal-information-improvement/'
/** Where first-login people may be (A2.70): the form itself, the guide, task logs. */
const FIRST_LOGIN_EXEMPT = /^\/(users\/first-login|ops\/(celery|task)\/task)\//

/**
 * Links made for the hash form reach the same pages: `/ui/#/path` becomes `/ui/path`, query kept
 * (A2.01).
 */
export function plainAddress(pathname: string, search: string, hash: string): string | undefined {
  if (!hash.startsWith('#/')) return undefined
  const [path = '', own = ''] = hash.slice(1).split('?')
  const query = [search.replace(/^\?/, ''), own].filter(Boolean).join('&')
  return `${pathname.startsWith('/ui') ? '/ui' : ''}${path}${query ? `?${query}` : ''}`
}

/** Every control in all its states, for people who develop the console; no build has it. */
const GALLERY: RouteObject[] = import.meta.env.DEV
  ? [{ path: '/design', lazy: async () => ({ Component: (await import('../design/gallery/Gallery.tsx')).Gallery }) }]
  : []

/** The router of this person's pages, made once after start-up. */
export function makeRouter(): ReturnType<typeof createBrowserRouter> {
  const { settings, role, profile } = session()
  const menu = viewerMenu(MENU, { role, licensed: licenseValid(), settings })
  const routes = pageRoutes(menu)
  setRoutes(routes)
  const start = onAdminPages() ? (routes.find(({ hidden }) => !hidden)?.path ?? '/404') : undefined
  const inShell: RouteObject[] = [
    ...routes.filter(({ bare }) => !bare).map(routeOf),
    ...[...groupRedirects(menu), ...tabRedirects(menu)].map(({ from, to }) => ({
      path: from,
      element: <RedirectTo to={to} />,
    })),
    ...(start ? [{ path: '/', element: <Navigate to={start} replace /> }] : []),
    { path: '/404', element: <NotFound /> },
  ]
  const firstLogin = profile.is_first_login === true && routes.some(({ path }) => path === FIRST_LOGIN)
  return createBrowserRouter(
    [
      {
        element: <Root firstLogin={firstLogin} />,
        errorElement: <PageError />,
        children: [
          { path: '/login', loader: () => location.assign(loginAddress()), element: null },
          {
            path: '/perms/asset-permissions/:id/update',
            loader: ({ params }) => Response.redirect(`/ui/perms/asset-permission/${params.id}/update`),
            element: null,
          },
          { element: <Shell menu={menu} />, children: [{ errorElement: <PageError />, children: inShell }] },
          ...routes.filter(({ bare }) => bare).map(routeOf),
          ...GALLERY,
          { path: '*', element: <Navigate to="/404" replace /> },
        ],
      },
    ],
    { basename: '/ui' },
  )
}

function routeOf(route: PageRoute): RouteObject {
  const source = PAGES[route.name]
  if (!source) throw new Error(`no page for ${route.name}`)
  const Page = source.component
  return {
    id: route.name,
    path: route.path,
    handle: route,
    element: <Page key={route.name} title={t(route.title)} />,
    errorElement: <PageError />,
  }
}

function Root({ firstLogin }: { firstLogin: boolean }) {
  const { pathname } = useLocation()
  useEffect(() => {
    // Every navigation starts at the top of the new page.
    if (pathname) window.scrollTo(0, 0)
  }, [pathname])
  if (firstLogin && !FIRST_LOGIN_EXEMPT.test(pathname)) return <Navigate to={FIRST_LOGIN} replace />
  return (
    <Suspense fallback={<Waiting />}>
      <Outlet />
    </Suspense>
  )
}

/** To the page of a group or of a tab, with what the address asks for there. */
function RedirectTo({ to }: { to: string }) {
  const { search } = useLocation()
  return <Navigate to={to.includes('?') ? to + search.replace('?', '&') : to + search} replace />
}
