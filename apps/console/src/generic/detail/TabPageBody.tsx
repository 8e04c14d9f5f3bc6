import { Tabs } from 'antd'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { readCookie, writeCookie } from '../../lib/cookies.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { pickTab } from './detail-title.ts'
import type { Tab } from './tab.ts'

const TAB_COOKIE = 'activeTab'

/**
 * Tabs that remember the active one in the address and a cookie (spec A2.74). Content is made when
 * its tab is shown, and gone when it is left: a form with unsaved input asks first.
 */
export function TabPageBody({ tabs }: { tabs: readonly Tab[] }) {
  const [address, setAddress] = useSearchParams()
  const asked = address.get('activeTab')
  // A click shows at once, before the address has followed; from then on the address counts, so
  // that links lead to their tab.
  const [clicked, setClicked] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the address changes
  useEffect(() => setClicked(undefined), [asked])
  const active = pickTab(
    tabs.map(({ name }) => name),
    clicked ?? asked,
    readCookie(TAB_COOKIE),
  )
  const open = async (name: string) => {
    if (!(await mayLeave())) return
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
  return (
    <Tabs
      activeKey={active}
      destroyOnHidden
      animated={false}
      items={tabs.map(({ name, title, icon, count, content }) => ({
        key: name,
        icon,
        label: count ? (
          <>
            {title} <b className="tab-count">{count}</b>
          </>
        ) : (
          title
        ),
        children: active === name ? content() : null,
      }))}
      onChange={(name) => void open(name)}
    />
  )
}
