import { Dropdown } from 'antd'
import { ChevronDownIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { ActionContext, RowAction } from '../view/actions.ts'

const MAX_SHOWN = 2

interface RowActionsProps {
  row: Row
  actions: readonly RowAction[]
  context: ActionContext
}

/**
 * Actions of a row by their order; beyond two, the first is shown and the rest go under More (spec
 * A2.83 B9.14).
 */
export function RowActions({ row, actions, context }: RowActionsProps) {
  const present = actions
    .filter(({ has }) => has?.(row) !== false)
    .toSorted((a, b) => (a.order ?? 100) - (b.order ?? 100))
  const shown = present.length > MAX_SHOWN ? present.slice(0, 1) : present
  const rest = present.slice(shown.length)
  return (
    <span className="row-actions">
      {shown.map((action) => {
        const can = action.can?.(row) ?? true
        return (
          <button
            key={action.name}
            type="button"
            className={action.danger ? 'link danger' : 'link'}
            disabled={can !== true}
            title={typeof can === 'string' ? can : undefined}
            onClick={() => action.run(row, context)}
          >
            {t(action.title)}
          </button>
        )
      })}
      {rest.length > 0 && <More row={row} actions={rest} context={context} />}
    </span>
  )
}

/**
 * The menu itself is made when it is first wanted: a hundred rows with a hundred idle menus would
 * block the page.
 */
function More({ row, actions, context }: RowActionsProps) {
  const [wanted, setWanted] = useState(false)
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const button = (
    <button
      type="button"
      ref={trigger}
      className="link"
      aria-haspopup="menu"
      aria-expanded={open}
      onClick={() => {
        setWanted(true)
        setOpen(!open)
      }}
    >
      {t('More')} <ChevronDownIcon />
    </button>
  )
  if (!wanted) return button
  return (
    <Dropdown
      open={open}
      onOpenChange={setOpen}
      trigger={['click']}
      autoFocus
      menu={{
        items: actions.map((action) => {
          const can = action.can?.(row) ?? true
          return {
            key: action.name,
            label: t(action.title),
            danger: action.danger === true,
            disabled: can !== true,
            title: typeof can === 'string' ? can : '',
          }
        }),
        onClick: ({ key }) => {
          setOpen(false)
          // What the action asks gives the focus back to where it was.
          trigger.current?.focus()
          void actions.find(({ name }) => name === key)?.run(row, context)
        },
      }}
    >
      {button}
    </Dropdown>
  )
}
