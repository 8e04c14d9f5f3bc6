import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { Switch } from '../../design/inputs/Switch.tsx'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type QuickAction, whyNot } from '../view/actions.ts'

interface QuickActionsProps {
  row: Row
  actions: readonly QuickAction[]
  refresh: () => Promise<void>
}

/** Rows of a title and a button or switch. */
export function QuickActions({ row, actions, refresh }: QuickActionsProps) {
  const navigate = useNavigate()
  const [busy, setBusy] = useState('')
  const present = actions.filter(({ has }) => has?.(row) !== false)
  if (present.length === 0) return null
  const run = async (action: QuickAction, checked: boolean) => {
    setBusy(action.name)
    try {
      await action.run(row, { refresh, go: (address) => void navigate(address), checked })
      await refresh()
    } catch {
      // The call has told the person already; the row is read again so that a switch shows what is
      // stored.
      await refresh()
    } finally {
      setBusy('')
    }
  }
  return (
    <section className="panel">
      <h2>{t('Quick actions')}</h2>
      <ul className="quick-actions">
        {present.map((action) => {
          const whyDisabled = whyNot(action.can?.(row))
          return (
            <li key={action.name}>
              <span>{t(action.title)}</span>
              {action.checked ? (
                <Switch
                  aria-label={t(action.title)}
                  checked={action.checked(row)}
                  loading={busy === action.name}
                  whyDisabled={whyDisabled}
                  onChange={(checked) => void run(action, checked)}
                />
              ) : (
                <Button
                  size="small"
                  aria-label={spoken(action)}
                  loading={busy === action.name}
                  whyDisabled={whyDisabled}
                  onClick={() => void run(action, false)}
                >
                  {t(action.button ?? action.title)}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/**
 * Title and button in one, for those who hear it alone; a person who speaks the button's own text must
 * find it there too (WCAG 2.5.3).
 */
function spoken({ title, button }: QuickAction): string {
  const [whole, short] = [t(title), t(button ?? title)]
  return whole.includes(short) ? whole : `${whole}: ${short}`
}
