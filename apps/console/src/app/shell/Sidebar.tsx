import { useMemo } from 'react'
import { Link } from 'react-router'
import { Logo } from '../../design/Logo.tsx'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { sidebarEntries } from '../../navigation/routes.ts'
import { licenseValid, onAdminPages, session } from '../../session/session.ts'
import { OrgSelector } from '../top-bar/OrgSelector.tsx'
import { MainMenu } from './MainMenu.tsx'

interface SidebarProps {
  menu: readonly MenuEntry[]
  collapsed: boolean
  hidden: boolean
}

/** Logo, organization selector and menu. */
export function Sidebar({ menu, collapsed, hidden }: SidebarProps) {
  const entries = useMemo(() => sidebarEntries(menu), [menu])
  const logos = session().settings.LOGO_URLS
  return (
    <nav className="sidebar" aria-label={t('Main menu')} hidden={hidden}>
      <Link className="logo" to="/" aria-label={`Sallyport ${t('Start page')}`}>
        <Logo collapsed={collapsed} image={collapsed ? logos?.logo_logout : logos?.logo_index} />
      </Link>
      {!collapsed && onAdminPages() && licenseValid() && <OrgSelector />}
      <MainMenu menu={menu} entries={entries} collapsed={collapsed} />
    </nav>
  )
}
