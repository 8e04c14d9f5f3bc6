import { ChevronDownIcon, XIcon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { changeTabs, type OpenTab, onlyAffix, onlyTab, refreshTab, withoutTab } from '../../navigation/open-tabs.ts'
import { mayLeave } from '../../navigation/unsaved.ts'

/**
 * The open pages: Tab or arrow keys move, Enter opens, Delete or a middle click closes, the wheel
 * scrolls (A4.12 to A4.15).
 */
export function TabStrip({ tabs }: { tabs: readonly OpenTab[] }) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const strip = useRef<HTMLUListElement>(null)
  useSidewaysWheel(strip)
  const active = tabs.find(({ path }) => path === pathname)
  // The title of a detail page comes with its row, and makes the tab wider.
  const shown = active && `${active.path} ${active.title} ${tabs.length}`
  useEffect(() => {
    if (shown) strip.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])

  /** Where the page on screen is closed, the last one left takes its place. */
  const keep = async (change: (tabs: readonly OpenTab[]) => readonly OpenTab[]) => {
    const left = change(tabs)
    const next = left.some(({ path }) => path === pathname) ? undefined : (left.at(-1)?.address ?? '/')
    if (next !== undefined) {
      if (!(await mayLeave())) return
      await navigate(next)
    }
    changeTabs(change)
  }
  const close = (path: string) => keep((all) => withoutTab(all, path))
  // The menu is that of the page on screen, or of the tab under a right click.
  const [pointed, setPointed] = useState<OpenTab>()
  const tab = pointed ?? active
  const menu = useMenu({
    items: [
      { key: 'refresh', label: t('Refresh') },
      { key: 'close', label: t('Close'), disabled: tab?.affix === true },
      { key: 'others', label: t('Close others') },
      { key: 'all', label: t('Close all') },
    ],
    onChoose: (key) => {
      if (key === 'all') void keep(onlyAffix)
      else if (!tab) return
      else if (key === 'refresh') refreshTab(tab.path)
      else if (key === 'close') void close(tab.path)
      else void keep((all) => onlyTab(all, tab.path))
    },
  })
  const press = (event: KeyboardEvent<HTMLElement>, tab: OpenTab) => {
    const links = [...(strip.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(event.currentTarget as HTMLAnchorElement)
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
      links[(at + (event.key === 'ArrowRight' ? 1 : links.length - 1)) % links.length]?.focus()
    else if (event.key === 'Delete' && !tab.affix) {
      ;(links[at + 1] ?? links[at - 1])?.focus()
      void close(tab.path)
    } else return
    event.preventDefault()
  }
  return (
    <nav className="open-tabs" aria-label={t('Open pages')}>
      <ul ref={strip}>
        {tabs.map((tab) => (
          <TabItem
            key={tab.path}
            tab={tab}
            isActive={tab === active}
            onMenu={(at) => {
              setPointed(tab)
              menu.open(at)
            }}
            onKeyDown={(event) => press(event, tab)}
            onClose={() => void close(tab.path)}
          />
        ))}
      </ul>
      {active && (
        <button
          {...menu.trigger}
          type="button"
          className="icon-button"
          aria-label={t('Tab actions')}
          onClick={(event) => {
            setPointed(undefined)
            menu.trigger.onClick(event)
          }}
        >
          <ChevronDownIcon />
        </button>
      )}
      {menu.popup}
    </nav>
  )
}

interface TabItemProps {
  tab: OpenTab
  isActive: boolean
  /** Its menu is wanted, at this element. */
  onMenu: (at: HTMLElement) => void
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  onClose: () => void
}

function TabItem({ tab, isActive, onMenu, onKeyDown, onClose }: TabItemProps) {
  return (
    <li className={isActive ? 'active' : ''}>
      <Link
        to={tab.address}
        title={tab.title}
        {...(isActive ? { 'aria-current': 'page' as const } : {})}
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          event.preventDefault()
          onMenu(event.currentTarget)
        }}
        onAuxClick={(event) => {
          if (event.button !== 1) return
          event.preventDefault()
          if (!tab.affix) onClose()
        }}
      >
        {tab.title}
      </Link>
      {!tab.affix && (
        <button type="button" aria-label={t('Close {{title}}', { title: tab.title })} onClick={onClose}>
          <XIcon />
        </button>
      )}
    </li>
  )
}

/** Lets the mouse wheel scroll a row of tabs that is wider than its place. */
function useSidewaysWheel(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current
    // Not React's handler, which may not keep the page from scrolling along.
    const wheel = (event: WheelEvent) => {
      if (!element || element.scrollWidth <= element.clientWidth) return
      event.preventDefault()
      element.scrollLeft += event.deltaY + event.deltaX
    }
    element?.addEventListener('wheel', wheel, { passive: false })
    return () => element?.removeEventListener('wheel', wheel)
  }, [box])
}
