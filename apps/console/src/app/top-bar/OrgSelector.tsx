import { Dropdown } from 'antd'
import { Building2Icon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { switchOrg } from '../../session/org.ts'
import { session } from '../../session/session.ts'

/** The box is placed first, and cannot take the focus until then. */
const focusMenu = (popup: HTMLElement | null) => {
  requestAnimationFrame(() => popup?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true }))
}

/** Which organisation is worked in; on admin pages with a valid licence (spec A6.34). */
export function OrgSelector() {
  const { org, orgs, profile } = session()
  const [typed, setTyped] = useState('')
  const found = orgs.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <Dropdown
      trigger={['click']}
      destroyOnHidden
      onOpenChange={(open) => open || setTyped('')}
      menu={{
        selectedKeys: org ? [org.id] : [],
        items: found.map(({ id, name }) => ({ key: id, label: name })),
        onClick: ({ key }) => {
          const next = orgs.find(({ id }) => id === key)
          if (next && next.id !== org?.id)
            void mayLeave().then((may) => (may ? switchOrg(profile.username, next) : undefined))
        },
        style: { maxHeight: 360, overflow: 'auto' },
      }}
      popupRender={(menu) => (
        <div className="org-popup" ref={orgs.length > 7 ? undefined : focusMenu}>
          {orgs.length > 7 && (
            <input
              ref={(input) => input?.focus()}
              aria-label={t('Search')}
              placeholder={t('Search')}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'ArrowDown') focusMenu(event.currentTarget.parentElement)
                if (event.key !== 'Escape') event.stopPropagation()
              }}
            />
          )}
          {menu}
        </div>
      )}
    >
      <button type="button" className="org-selector" aria-label={`${t('Current organization')}: ${org?.name ?? ''}`}>
        <Building2Icon /> <span>{org?.name}</span>
      </button>
    </Dropdown>
  )
}
