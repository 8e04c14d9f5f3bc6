import { Menu, type MenuProps } from 'antd'
import {
  ActivityIcon,
  ClipboardCheckIcon,
  FileIcon,
  FolderIcon,
  HistoryIcon,
  LayoutDashboardIcon,
  NetworkIcon,
  ServerIcon,
  SettingsIcon,
  ShieldCheckIcon,
  ShieldIcon,
  SquareTerminalIcon,
  UsersIcon,
} from 'lucide-react'
import { type ComponentType, useEffect, useMemo, useState } from 'react'
import { Link, matchPath, useLocation } from 'react-router'
import { Logo } from '../../design/Logo.tsx'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { pageRoutes, sidebarEntries } from '../../navigation/routes.ts'
import { PAGES } from '../../pages/registry.ts'
import { licenceValid, onAdminPages, session } from '../../session/session.ts'
import { OrgSelector } from '../top-bar/OrgSelector.tsx'

const ICONS: Readonly<Record<string, ComponentType>> = {
  dashboard: LayoutDashboardIcon,
  users: UsersIcon,
  assets: ServerIcon,
  permissions: ShieldCheckIcon,
  'access-control': ShieldIcon,
  sessions: ActivityIcon,
  audits: HistoryIcon,
  'my-assets': FolderIcon,
  tickets: ClipboardCheckIcon,
  terminal: SquareTerminalIcon,
  files: FileIcon,
  tasks: ClipboardCheckIcon,
  settings: SettingsIcon,
  xpack: NetworkIcon,
}

/** Path of the menu entry to light up for an address: the page's own, or the one it belongs to. */
function activePath(menu: readonly MenuEntry[], pathname: string): string | undefined {
  const route = pageRoutes(menu).find(({ path }) => matchPath({ path, end: true }, pathname))
  return route?.active ?? route?.path
}

/** Logo, organisation selector and menu; one group is open at a time. */
export function Sidebar({
  menu,
  collapsed,
  hidden,
}: {
  menu: readonly MenuEntry[]
  collapsed: boolean
  hidden: boolean
}) {
  const { pathname } = useLocation()
  const entries = useMemo(() => sidebarEntries(menu), [menu])
  const active = activePath(menu, pathname)
  const group = entries.find(({ children }) => children?.some(({ path }) => path === active))?.path
  const [open, setOpen] = useState<string[]>(group ? [group] : [])
  useEffect(() => {
    if (group) setOpen([group])
  }, [group])
  const logos = session().settings.LOGO_URLS
  return (
    <nav className="sidebar" aria-label={t('Main menu')} hidden={hidden}>
      <Link className="logo" to="/" aria-label={`Sallyport ${t('Start page')}`}>
        <Logo collapsed={collapsed} image={collapsed ? logos?.logo_logout : logos?.logo_index} />
      </Link>
      {!collapsed && onAdminPages() && licenceValid() && <OrgSelector />}
      <Menu
        theme="light"
        mode="inline"
        inlineCollapsed={collapsed}
        inlineIndent={18}
        selectedKeys={active ? [active] : []}
        {...(collapsed ? {} : { openKeys: open })}
        onOpenChange={(keys) => setOpen(keys.slice(-1))}
        items={entries.map((entry) => item(entry))}
      />
    </nav>
  )
}

function item(entry: MenuEntry): NonNullable<MenuProps['items']>[number] {
  const Icon = entry.icon ? ICONS[entry.icon] : undefined
  const text = t(entry.title)
  return {
    key: entry.external ? `external:${entry.path}` : entry.path,
    title: text,
    ...(Icon ? { icon: <Icon /> } : {}),
    label: entry.children ? (
      text
    ) : entry.external ? (
      <a href={entry.path} target="_blank" rel="noreferrer">
        {text}
      </a>
    ) : (
      // The page's code is fetched while the pointer is still on its way down.
      <Link to={entry.path} onPointerEnter={() => void PAGES[entry.name ?? '']?.preload()}>
        {text}
      </Link>
    ),
    ...(entry.children ? { children: entry.children.map(item) } : {}),
  }
}
