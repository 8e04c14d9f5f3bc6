import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { TabBar, TabPanel } from '../../design/Tabs.tsx'
import { t } from '../../lib/i18n.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { rememberTab, shownTab, type Tab } from './tab.ts'

interface TabPageProps {
  tabs: readonly Tab[]
  /**
   * Many tabs: they are at the left, under what is given here, and are one select where there is
   * no room for them.
   */
  side?: ReactNode
}

/**
 * Tabs that remember the active one in the address and a cookie (A2.74); a single one needs no
 * bar. Content is made when its tab is shown, and gone when it is left: a form with unsaved input
 * asks first, which is why arrows move the focus alone and Enter opens (WAI-ARIA tabs pattern).
 */
export function TabPage({ tabs, side }: TabPageProps) {
  const [address, setAddress] = useSearchParams()
  const asked = address.get('activeTab')
  // A click shows at once, before the address has followed; from then on the address counts, so
  // that links lead to their tab.
  const [clicked, setClicked] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the address changes
  useEffect(() => setClicked(undefined), [asked])
  const id = useId()
  const active = shownTab(tabs, clicked ?? asked)
  const open = async (name: string) => {
    if (name === active || !(await mayLeave())) return
    rememberTab(name)
    setClicked(name)
    setAddress(
      (current) => {
        const next = new URLSearchParams(current)
        next.set('activeTab', name)
        return next
      },
      { replace: true },
    )
  }
  const tabBar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) showTab(tabBar.current)
  }, [active])
  const content = tabs.find(({ name }) => name === active)?.content()
  if (tabs.length < 2) return content
  const bar = (
    <TabBar
      id={id}
      ref={tabBar}
      isVertical={side !== undefined}
      tabs={tabs.map(({ name, title, icon, count, group }) => ({
        value: name,
        group,
        label: (
          <>
            {icon}
            {title}
            {count === undefined ? null : (
              <>
                {' '}
                {/* Its place is kept, or tabs would move when it is known. */}
                <b className="tab-count">{count || null}</b>
              </>
            )}
          </>
        ),
      }))}
      value={active}
      onChange={(name) => void open(name)}
    />
  )
  const panel = (
    <TabPanel id={id} value={active}>
      {content}
    </TabPanel>
  )
  if (!side)
    return (
      <>
        {bar}
        {panel}
      </>
    )
  return (
    <div className="with-tabs">
      <div className="tabs-side">
        {side}
        {bar}
        <NativeSelect
          className="tab-select"
          aria-label={t('Section')}
          value={active}
          onChange={(name) => void open(name)}
        >
          {tabs.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </NativeSelect>
      </div>
      {panel}
    </div>
  )
}

/** On a phone tabs are one line that is scrolled: the one that is shown is in sight. */
function showTab(bar: HTMLElement | null): void {
  if (!bar || !matchMedia('(max-width: 640px)').matches) return
  const tab = bar.querySelector<HTMLElement>('[role=tab][aria-selected=true]')
  if (tab) bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - 40
}
