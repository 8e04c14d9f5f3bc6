import {
  ActivityIcon,
  ChevronDownIcon,
  ClipboardCheckIcon,
  FileIcon,
  FolderIcon,
  HistoryIcon,
  KeyRoundIcon,
  LayoutDashboardIcon,
  LayoutGridIcon,
  ListChecksIcon,
  NetworkIcon,
  NotebookTextIcon,
  ServerIcon,
  SettingsIcon,
  ShieldCheckIcon,
  ShieldIcon,
  SquareTerminalIcon,
  UsersIcon,
} from 'lucide-react'
import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react'
import { Link, matchPath, useLocation } from 'react-router'
import { moveFocus } from '../../design/focus.ts'
import { Popup } from '../../design/popups/Popup.tsx'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { pageRoutes } from '../../navigation/routes.ts'
import { PAGES } from '../../pages/registry.ts'
import { session } from '../../session/session.ts'
import { noteVisit, oftenUsed } from './often-used.ts'

const ICONS: Readonly<Record<string, ComponentType>> = {
  dashboard: LayoutDashboardIcon,
  users: UsersIcon,
  assets: ServerIcon,
  applications: LayoutGridIcon,
  accounts: KeyRoundIcon,
  permissions: ShieldCheckIcon,
  'access-control': ShieldIcon,
  sessions: ActivityIcon,
  jobs: ListChecksIcon,
  runbooks: NotebookTextIcon,
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

interface MainMenuProps {
  /** With all pages, also those that have no entry of their own. */
  menu: readonly MenuEntry[]
  entries: readonly MenuEntry[]
  /** Icons alone; the pages of a group are beside it while it is open. */
  collapsed: boolean
}

/**
 * Links to pages, and buttons that unfold a group of them; one group is open at a time. It is one
 * stop of the Tab key, at the page on screen; arrows move inside.
 */
export function MainMenu({ menu, entries, collapsed }: MainMenuProps) {
  const { pathname } = useLocation()
  const active = activePath(menu, pathname)
  const own = entries.find(({ children }) => children?.some(({ path }) => path === active))?.path
  const [open, setOpen] = useState(collapsed ? undefined : own)
  // What somebody opened stays open on the way from page to page, as at the start, where the address
  // without a page leads on to one; beside icons only until a page is chosen.
  useEffect(() => {
    if (!collapsed) setOpen(own)
  }, [collapsed, own])
  useEffect(() => {
    if (collapsed && pathname) setOpen(undefined)
  }, [collapsed, pathname])
  const { username } = session().profile
  useEffect(() => {
    if (active) noteVisit(username, active)
  }, [username, active])
  // Reckoned once, or they would change places under the pointer.
  const often = useMemo(() => oftenUsed(username, entries), [username, entries])
  const isStop = ({ path, children }: MenuEntry) =>
    path === active || (children !== undefined && path === own && path !== open)
  const stop = entries.flatMap((entry) => [entry, ...(entry.children ?? [])]).find(isStop) ?? entries[0]
  return (
    <ul className="main-menu" onKeyDown={moveInSidebar}>
      {often.length > 0 && !collapsed && (
        <li className="often">
          <strong id="often-used">{t('Often used')}</strong>
          <ul aria-labelledby="often-used">
            {often.map((entry) => (
              <li key={entry.path}>
                <EntryLink entry={entry} isActive={entry.path === active} isStop={false} />
              </li>
            ))}
          </ul>
        </li>
      )}
      {entries.map((entry) =>
        entry.children ? (
          <Group
            key={entry.path}
            entry={entry}
            active={active}
            stop={stop}
            collapsed={collapsed}
            isOpen={entry.path === open}
            onToggle={(next) => setOpen(next ? entry.path : undefined)}
          />
        ) : (
          <li key={entry.path}>
            <EntryLink entry={entry} isActive={entry.path === active} isStop={entry === stop} collapsed={collapsed} />
          </li>
        ),
      )}
    </ul>
  )
}

interface GroupProps {
  entry: MenuEntry
  active: string | undefined
  stop: MenuEntry | undefined
  collapsed: boolean
  isOpen: boolean
  onToggle: (open: boolean) => void
}

function Group({ entry, active, stop, collapsed, isOpen, onToggle }: GroupProps) {
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const holdsActive = entry.children?.some(({ path }) => path === active) === true
  const links = entry.children?.map((child) => (
    <li key={child.path}>
      <EntryLink entry={child} isActive={child.path === active} isStop={child === stop} />
    </li>
  ))
  return (
    <li>
      <button
        ref={setButton}
        type="button"
        className={holdsActive && (collapsed || !isOpen) ? 'active' : undefined}
        tabIndex={entry === stop ? 0 : -1}
        aria-expanded={isOpen}
        title={collapsed ? t(entry.title) : undefined}
        onClick={() => onToggle(!isOpen)}
      >
        <EntryContent entry={entry} collapsed={collapsed} />
        {!collapsed && <ChevronDownIcon className="chevron" />}
      </button>
      {isOpen && !collapsed && <ul>{links}</ul>}
      {isOpen && collapsed && button && (
        <Popup
          anchor={button}
          side="beside"
          className="flyout"
          onOpen={(box) => box.querySelector('a')?.focus()}
          onClose={() => onToggle(false)}
        >
          <strong>{t(entry.title)}</strong>
          <ul>{links}</ul>
        </Popup>
      )}
    </li>
  )
}

interface EntryLinkProps {
  entry: MenuEntry
  isActive: boolean
  isStop: boolean
  collapsed?: boolean
}

function EntryLink({ entry, isActive, isStop, collapsed = false }: EntryLinkProps): ReactNode {
  const look = {
    tabIndex: isStop ? 0 : -1,
    title: collapsed ? t(entry.title) : undefined,
    children: <EntryContent entry={entry} collapsed={collapsed} />,
  }
  if (entry.external) return <a {...look} href={entry.path} target="_blank" rel="noreferrer" />
  // The page's code is fetched while the pointer is still on its way down; a failed fetch shows
  // when the page itself is wanted.
  const preload = () => void PAGES[entry.name ?? '']?.preload().catch(() => {})
  return (
    <Link
      {...look}
      to={entry.path}
      className={isActive ? 'active' : undefined}
      aria-current={isActive ? 'page' : undefined}
      onPointerEnter={preload}
      onFocus={preload}
    />
  )
}

function EntryContent({ entry, collapsed }: { entry: MenuEntry; collapsed: boolean }) {
  const Icon = entry.icon ? ICONS[entry.icon] : undefined
  return (
    <>
      {Icon && <Icon />}
      <span className={collapsed ? 'visually-hidden' : undefined}>{t(entry.title)}</span>
    </>
  )
}

/** Up and down to the next entry, right and left to open and close a group. */
function moveInSidebar(event: KeyboardEvent<HTMLElement>): void {
  const at = document.activeElement as HTMLElement
  const flyout = at.closest('.flyout')
  const all = [...(flyout ?? event.currentTarget).querySelectorAll<HTMLElement>('a, button')]
  const opener = at.closest('ul')?.closest('li')?.querySelector('button')
  if (moveFocus(event, all)) return
  if (event.key === 'ArrowRight' && at.getAttribute('aria-expanded') === 'false') at.click()
  else if (event.key === 'ArrowLeft' && at.getAttribute('aria-expanded') === 'true') at.click()
  else if (event.key === 'ArrowLeft' && opener) opener.focus()
  else return
  event.preventDefault()
}
