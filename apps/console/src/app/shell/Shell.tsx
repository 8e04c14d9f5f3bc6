import { Suspense, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { Outlet, useLocation } from 'react-router'
import { usePreferences } from '../../design/look/preferences.ts'
import { AssetPickerHost } from '../../generic/asset-picker/AssetPickerHost.tsx'
import { MfaVerifyHost } from '../../generic/second-factor/MfaVerifyDialog.tsx'
import { readCookie, writeCookie } from '../../lib/cookies.ts'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { showTab, useOpenTabs } from '../../navigation/open-tabs.ts'
import { pageRoutes } from '../../navigation/routes.ts'
import { useNarrow } from '../../navigation/use-narrow.ts'
import { TopBar } from '../top-bar/TopBar.tsx'
import { Banners } from './Banners.tsx'
import { ConnectionBanner } from './ConnectionBanner.tsx'
import { Footer } from './Footer.tsx'
import { LateBanner } from './LateBanner.tsx'
import { ProgressBar, Waiting } from './ProgressBar.tsx'
import { Sidebar } from './Sidebar.tsx'
import { TabStrip } from './TabStrip.tsx'
import { routeAt, Views } from './Views.tsx'

const SIDEBAR_COOKIE = 'sidebarStatus'
const YEAR_DAYS = 365

/** The parts that differ from page to page. */
const CONTENT = 'content'

/** On a narrow screen the sidebar slides over the page (A4.11 B9.27). */
const isOpenAtFirst = (narrow: boolean) => !narrow && readCookie(SIDEBAR_COOKIE) !== '0'

/** Sidebar, top bar, banners, page, footer. */
export function Shell({ menu }: { menu: readonly MenuEntry[] }) {
  const narrow = useNarrow()
  const [open, setOpen] = useState(() => isOpenAtFirst(narrow))
  const { pathname, search } = useLocation()
  const { tabs: withTabs } = usePreferences()
  const tabs = useOpenTabs()
  const routes = useMemo(() => pageRoutes(menu), [menu])
  // Before the page's own effects, which name the tab.
  useLayoutEffect(() => {
    const route = routeAt(routes, pathname)
    if (!withTabs || !route) return
    const affix = routes
      .filter((one) => one.affix)
      .map(({ path, title }) => ({ path, address: path, title: t(title), affix: true }))
    showTab({ path: pathname, address: pathname + search, title: t(route.title) }, affix)
  }, [withTabs, routes, pathname, search])
  // Before anything is painted at another width.
  useLayoutEffect(() => setOpen(isOpenAtFirst(narrow)), [narrow])
  useEffect(() => {
    // On a narrow screen a chosen page takes the sidebar's place.
    if (pathname && narrow) setOpen(false)
  }, [pathname, narrow])
  const toggle = () => {
    setOpen(!open)
    if (!narrow) writeCookie(SIDEBAR_COOKIE, open ? '0' : '1', YEAR_DAYS)
  }
  return (
    <div className={`shell ${open ? 'open' : 'closed'} ${narrow ? 'narrow' : 'wide'}`}>
      <SkipLink />
      <ProgressBar />
      {narrow && open && <div className="shade" aria-hidden="true" onClick={toggle} />}
      <Sidebar menu={menu} collapsed={!open && !narrow} hidden={!open && narrow} />
      <div className="content">
        <TopBar menu={menu} sidebarOpen={open} onToggleSidebar={toggle} />
        {withTabs && !narrow && <TabStrip tabs={tabs} />}
        <main id={CONTENT} tabIndex={-1}>
          <ConnectionBanner />
          <LateBanner />
          <Banners />
          {withTabs ? (
            <Views routes={routes} tabs={tabs} />
          ) : (
            <Suspense fallback={<Waiting />}>
              <Outlet />
            </Suspense>
          )}
        </main>
        <Footer />
      </div>
      <AssetPickerHost />
      <MfaVerifyHost />
    </div>
  )
}

/** The first stop of the Tab key: past the frame, to what is different on each page. */
function SkipLink() {
  return (
    <a
      className="skip-link"
      href={`#${CONTENT}`}
      onClick={(event) => {
        // The address stays as it is.
        event.preventDefault()
        document.getElementById(CONTENT)?.focus()
      }}
    >
      {t('Skip to content')}
    </a>
  )
}
