import { Building2Icon } from 'lucide-react'
import { useRef, useState } from 'react'
import { moveInMenu } from '../../design/popups/menu.tsx'
import { Popup } from '../../design/popups/Popup.tsx'
import { t } from '../../lib/i18n.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { switchOrg } from '../../session/org.ts'
import type { Org } from '../../session/session.ts'
import { session } from '../../session/session.ts'

/** So many are found at a glance. */
const WITHOUT_SEARCH = 7

/** Which organization is worked in; on admin pages with a valid license (A6.34). */
export function OrgSelector() {
  const { org, profile } = session()
  const [anchor, setAnchor] = useState<HTMLElement>()
  const choose = async (next: Org) => {
    anchor?.focus()
    setAnchor(undefined)
    if (next.id !== org?.id && (await mayLeave())) await switchOrg(profile.username, next)
  }
  return (
    <>
      <button
        type="button"
        className="org-selector"
        aria-label={`${t('Current organization')}: ${org?.name ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => setAnchor(anchor ? undefined : currentTarget)}
      >
        <Building2Icon /> <span>{org?.name}</span>
      </button>
      {anchor && <Orgs anchor={anchor} onChoose={choose} onClose={() => setAnchor(undefined)} />}
    </>
  )
}

interface OrgsProps {
  anchor: HTMLElement
  onChoose: (org: Org) => Promise<void>
  onClose: () => void
}

function Orgs({ anchor, onChoose, onClose }: OrgsProps) {
  const { org, orgs } = session()
  const [typed, setTyped] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const hasSearch = orgs.length > WITHOUT_SEARCH
  const found = orgs.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
  const focusFirst = () => list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  return (
    <Popup
      anchor={anchor}
      onClose={onClose}
      className="menu org-popup"
      onOpen={(box) => box.querySelector<HTMLElement>('input, [role=menuitem]')?.focus({ preventScroll: true })}
    >
      {hasSearch && (
        <input
          aria-label={t('Search')}
          placeholder={t('Search')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={({ key }) => key === 'ArrowDown' && focusFirst()}
        />
      )}
      <div
        ref={list}
        role="menu"
        aria-label={t('Organizations')}
        onKeyDown={(event) => moveInMenu(event, list.current)}
      >
        {found.map((one) => (
          <button
            key={one.id}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-current={one.id === org?.id || undefined}
            onClick={() => void onChoose(one)}
          >
            <span>{one.name}</span>
          </button>
        ))}
      </div>
    </Popup>
  )
}
