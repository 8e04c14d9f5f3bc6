import { WIRE } from '@sallyport/contract/constants.ts'
import { MonitorIcon, PanelLeftCloseIcon, PanelLeftOpenIcon } from 'lucide-react'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { session } from '../../session/session.ts'
import { CommandPalette } from '../palette/CommandPalette.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { MessageBell } from './MessageBell.tsx'
import { TicketsLink } from './TicketsLink.tsx'

interface TopBarProps {
  menu: readonly MenuEntry[]
  sidebarOpen: boolean
  onToggleSidebar: () => void
}

/** Sidebar toggle at the left; search, messages, tickets, web terminal and account at the right. */
export function TopBar({ menu, sidebarOpen, onToggleSidebar }: TopBarProps) {
  const { profile } = session()
  return (
    <header className="top-bar">
      <button
        type="button"
        className="icon-button"
        aria-label={t('Toggle the menu')}
        aria-expanded={sidebarOpen}
        onClick={onToggleSidebar}
      >
        {sidebarOpen ? <PanelLeftCloseIcon /> : <PanelLeftOpenIcon />}
      </button>
      <div className="spacer" />
      <CommandPalette menu={menu} />
      <MessageBell />
      <TicketsLink />
      <a
        className="bar-button"
        href={WIRE.webTerminalBase}
        target="_blank"
        rel="noreferrer"
        aria-label={t('Web Terminal')}
      >
        <MonitorIcon /> <span>{t('Web Terminal')}</span>
      </a>
      <AccountMenu name={profile.name || profile.username} />
    </header>
  )
}
