import { Dropdown, type MenuProps } from 'antd'
import { ChevronDownIcon, XIcon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { t } from '../../lib/i18n.ts'
import { changeTabs, type OpenTab, onlyAffix, onlyTab, refreshTab, withoutTab } from '../../navigation/open-tabs.ts'
import { mayLeave } from '../../navigation/unsaved.ts'

/**
 * The open pages: Tab or arrow keys move, Enter opens, Delete or a middle click closes, the wheel
 * scrolls (spec A4.12 to A4.15).
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
  const menuOf = (tab: OpenTab): MenuProps => ({
    items: [
      { key: 'refresh', label: t('Refresh') },
      { key: 'close', label: t('Close'), disabled: tab.affix === true },
      { key: 'others', label: t('Close Others') },
      { key: 'all', label: t('Close All') },
    ],
    onClick: ({ key }) => {
      if (key === 'refresh') refreshTab(tab.path)
      else if (key === 'close') void close(tab.path)
      else if (key === 'others') void keep((all) => onlyTab(all, tab.path))
      else void keep(onlyAffix)
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
            menu={menuOf(tab)}
            onKeyDown={(event) => press(event, tab)}
            onClose={() => void close(tab.path)}
          />
        ))}
      </ul>
      {active && (
        <Dropdown trigger={['click']} autoFocus menu={menuOf(active)}>
          <button type="button" className="icon-button" aria-label={t('Tab actions')} aria-haspopup="menu">
            <ChevronDownIcon />
          </button>
        </Dropdown>
      )}
    </nav>
  )
}

interface TabItemProps {
  tab: OpenTab
  isActive: boolean
  menu: MenuProps
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  onClose: () => void
}

function TabItem({ tab, isActive, menu, onKeyDown, onClose }: TabItemProps) {
  return (
    <li className={isActive ? 'active' : ''}>
      <Dropdown trigger={['contextMenu']} menu={menu}>
        <Link
          to={tab.address}
          title={tab.title}
          {...(isActive ? { 'aria-current': 'page' as const } : {})}
          onKeyDown={onKeyDown}
          onAuxClick={(event) => {
            if (event.button !== 1) return
            event.preventDefault()
            if (!tab.affix) onClose()
          }}
        >
          {tab.title}
        </Link>
      </Dropdown>
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
