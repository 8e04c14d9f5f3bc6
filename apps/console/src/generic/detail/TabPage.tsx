import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useSearchParams } from 'react-router'
import { LEFT_AND_RIGHT, moveFocus } from '../../design/move-focus.ts'
import { readCookie, writeCookie } from '../../lib/cookies.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { pickTab } from './detail-title.ts'
import type { Tab } from './tab.ts'

const TAB_COOKIE = 'activeTab'

/**
 * Tabs that remember the active one in the address and a cookie (spec A2.74); a single one needs no
 * bar. Content is made when its tab is shown, and gone when it is left: a form with unsaved input
 * asks first, which is why arrows move the focus alone and Enter opens (WAI-ARIA tabs pattern).
 */
export function TabPage({ tabs }: { tabs: readonly Tab[] }) {
  const [address, setAddress] = useSearchParams()
  const asked = address.get('activeTab')
  // A click shows at once, before the address has followed; from then on the address counts, so
  // that links lead to their tab.
  const [clicked, setClicked] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the address changes
  useEffect(() => setClicked(undefined), [asked])
  const id = useId()
  const active = pickTab(
    tabs.map(({ name }) => name),
    clicked ?? asked,
    readCookie(TAB_COOKIE),
  )
  const open = async (name: string) => {
    if (name === active || !(await mayLeave())) return
    writeCookie(TAB_COOKIE, name, 1)
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
  const content = tabs.find(({ name }) => name === active)?.content()
  if (tabs.length < 2) return content
  return (
    <>
      <div className="tab-bar" role="tablist" onKeyDown={moveAmongTabs}>
        {tabs.map(({ name, title, icon, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === active}
            aria-controls={name === active ? `${id}-panel` : undefined}
            tabIndex={name === active ? 0 : -1}
            onClick={() => void open(name)}
          >
            {icon}
            {title}
            {count ? (
              <>
                {' '}
                <b className="tab-count">{count}</b>
              </>
            ) : null}
          </button>
        ))}
      </div>
      <div key={active} id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${active}`}>
        {content}
      </div>
    </>
  )
}

function moveAmongTabs(event: KeyboardEvent<HTMLElement>): void {
  moveFocus(event, [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')], LEFT_AND_RIGHT)
}
