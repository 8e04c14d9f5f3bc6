import { Dropdown } from 'antd'
import { ChevronDownIcon } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../design/Button.tsx'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { ActionContext, BulkAction } from '../view/actions.ts'

interface BulkMenuProps {
  actions: readonly BulkAction[]
  selected: ReadonlySet<string>
  /** Rows that the table has shown, which need not be on its page now. */
  seen: ReadonlyMap<string, Row>
  context: ActionContext
  /** The ticked rows are gone. */
  onTakenAway: () => void
}

/** The menu of what may be done to all ticked rows. */
export function BulkMenu({ actions, selected, seen, context, onTakenAway }: BulkMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const ids = [...selected]
  const known = ids.flatMap((id) => seen.get(id) ?? [])
  const run = (name: string) => {
    // What the action asks gives the focus back to where it was.
    button.current?.focus()
    const action = actions.find((one) => one.name === name)
    const refresh = async () => {
      if (action?.takesAway) onTakenAway()
      await context.refresh()
    }
    void action?.run(ids, known, { ...context, refresh })
  }
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      menu={{ items: actions.map((action) => item(action, known, selected.size > 0)), onClick: ({ key }) => run(key) }}
    >
      <Button ref={button}>
        {t('Actions@@menu')} <ChevronDownIcon />
      </Button>
    </Dropdown>
  )
}

/** An action that can't be done now says why in its title. */
function item(action: BulkAction, rows: readonly Row[], isAnySelected: boolean) {
  const can = action.can?.(rows) ?? true
  return {
    key: action.name,
    label: t(action.title),
    danger: action.danger === true,
    disabled: can !== true || (!action.always && !isAnySelected),
    title: typeof can === 'string' ? can : '',
  }
}
