import { ChevronLeftIcon, ChevronRightIcon, XIcon } from 'lucide-react'
import { type Dispatch, type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { LEFT_AND_RIGHT, moveFocus } from '../../design/focus.ts'
import { isEnter } from '../../design/inputs/enter.ts'
import { useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { type Tab, type TabAction, type TabState, type Tabs, tabMenu } from './tabs.ts'

const SCROLL_PX = 300

interface TabStripProps {
  tabs: Tabs
  dispatch: Dispatch<TabAction>
  /** Ids of those that get what is being written for several; undefined while nothing is. */
  receivers?: ReadonlySet<number> | undefined
}

/**
 * The strip of open tabs: click activates, right click opens the menu, double click renames. By
 * keyboard they are one stop: arrows move, Enter activates, Delete closes, F2 renames.
 */
export function TabStrip({ tabs, dispatch, receivers }: TabStripProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [renaming, setRenaming] = useState<number>()
  const { active } = tabs

  useEffect(() => {
    if (active !== undefined)
      strip.current?.querySelector(`[data-tab="${active}"]`)?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [active])

  // The box of a new name goes with the focus, which belongs to the tab then.
  const renamed = useRef<number>(undefined)
  useEffect(() => {
    if (renaming === undefined && document.activeElement === document.body)
      strip.current?.querySelector<HTMLElement>(`[data-tab="${renamed.current}"] [role=tab]`)?.focus()
    renamed.current = renaming
  }, [renaming])
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...(strip.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])]
    const at = all.indexOf(event.target as HTMLElement)
    const id = Number((event.target as HTMLElement).parentElement?.dataset.tab)
    if (at < 0 || moveFocus(event, all, LEFT_AND_RIGHT)) return
    if (event.key === 'F2') setRenaming(id)
    else if (event.key === 'Delete') {
      ;(all[at + 1] ?? all[at - 1])?.focus()
      dispatch({ do: 'close', id })
    } else return
    event.preventDefault()
  }

  const menu = useTabMenu(tabs, dispatch)

  return (
    <div className="wt-tabs">
      <Button
        type="text"
        size="small"
        icon={<ChevronLeftIcon />}
        aria-label={t('Scroll tabs to the left')}
        onClick={() => strip.current?.scrollBy({ left: -SCROLL_PX, behavior: 'smooth' })}
      />
      <div className="wt-tabs-strip" ref={strip} role="tablist" aria-label={t('Tabs')} onKeyDown={press}>
        {tabs.list.map((tab) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the menu of the tab in it
          <div
            key={tab.id}
            className={`wt-tab wt-tab-${tab.state}${tab.id === active ? ' wt-tab-active' : ''}`}
            data-tab={tab.id}
            data-receives={receivers?.has(tab.id) || undefined}
            onContextMenu={(event) => menu.open(tab, event)}
          >
            {renaming === tab.id ? (
              <Rename
                tab={tab}
                onDone={(name) => {
                  if (name !== undefined) dispatch({ do: 'rename', id: tab.id, name })
                  setRenaming(undefined)
                }}
              />
            ) : (
              <button
                type="button"
                role="tab"
                className="wt-tab-name"
                aria-selected={tab.id === active}
                tabIndex={tab.id === active ? 0 : -1}
                title={`${wholeName(tab)} · ${stateWords(tab.state)}`}
                onClick={() => dispatch({ do: 'activate', id: tab.id })}
                onDoubleClick={() => setRenaming(tab.id)}
              >
                <span className="wt-dot" aria-hidden="true" />
                {tab.name}
              </button>
            )}
            <button
              type="button"
              className="wt-tab-close"
              tabIndex={tab.id === active ? 0 : -1}
              aria-label={t('Close {{name}}', { name: tab.name })}
              onClick={() => dispatch({ do: 'close', id: tab.id })}
            >
              <XIcon />
            </button>
          </div>
        ))}
      </div>
      {menu.popup}
      <Button
        type="text"
        size="small"
        icon={<ChevronRightIcon />}
        aria-label={t('Scroll tabs to the right')}
        onClick={() => strip.current?.scrollBy({ left: SCROLL_PX, behavior: 'smooth' })}
      />
    </div>
  )
}

/** The menu of the tab that was asked for it. */
function useTabMenu(tabs: Tabs, dispatch: Dispatch<TabAction>) {
  const [tab, setTab] = useState<Tab>()
  const { popup, openAtPointer } = useMenu({
    items: () => {
      const items = tab ? tabMenu(tabs, tab.id).map(({ action, text }) => ({ key: action, label: t(text) })) : []
      // A finger has no other way to the whole name.
      return [{ ...(tab ? { title: wholeName(tab) } : {}), items }]
    },
    onChoose: (key) => tab && dispatch({ do: key, id: tab.id } as TabAction),
  })
  const open = (next: Tab, event: MouseEvent<HTMLElement>) => {
    setTab(next)
    openAtPointer(event)
  }
  return { popup, open }
}

/** For a tab that may show only its beginning. */
const wholeName = ({ name, systemUserName }: Tab) => (systemUserName ? `${name} (${systemUserName})` : name)

const stateWords = (state: TabState) =>
  ({ connecting: t('Connecting'), connected: t('Connected'), disconnected: t('Disconnected') })[state]

/** Enter or leaving the box commits, Escape keeps the old name. */
function Rename({ tab, onDone }: { tab: Tab; onDone: (name: string | undefined) => void }) {
  const [name, setName] = useState(tab.name)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.select()
  }, [])
  return (
    <input
      ref={box}
      className="wt-tab-rename"
      aria-label={t('Name of the tab')}
      maxLength={128}
      value={name}
      onChange={({ target }) => setName(target.value)}
      onBlur={() => onDone(name)}
      onKeyDown={(event) => {
        if (isEnter(event)) onDone(name)
        else if (event.key === 'Escape' && !event.nativeEvent.isComposing) onDone(undefined)
      }}
    />
  )
}
