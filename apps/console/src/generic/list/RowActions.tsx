import { EllipsisIcon } from 'lucide-react'
import { useMenu } from '../../design/popups/menu.tsx'
import { explained } from '../../design/tip.ts'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type ActionContext, availability, inOrder, type RowAction, whyNot } from '../view/actions.ts'
import { MOST_IN_WORDS } from './columns/actions-width.ts'

interface RowActionsProps {
  row: Row
  actions: readonly RowAction[]
  context: ActionContext
}

/**
 * Actions of a row by their order; beyond two, the first is shown and the rest go under More (A2.83
 * B9.14).
 */
export function RowActions({ row, actions, context }: RowActionsProps) {
  const present = inOrder(actions.filter(({ has }) => has?.(row) !== false))
  const shown = present.length > MOST_IN_WORDS ? present.slice(0, 1) : present
  const rest = present.slice(shown.length)
  return (
    <span className="row-actions">
      {shown.map((action) => {
        const why = whyNot(action.can?.(row))
        return (
          <button
            key={action.name}
            {...explained(why)}
            type="button"
            className={action.danger ? 'row-action danger' : 'row-action'}
            onClick={() => !why && action.run(row, context)}
          >
            {t(action.title)}
          </button>
        )
      })}
      {rest.length > 0 && <More row={row} actions={rest} context={context} />}
    </span>
  )
}

function More({ row, actions, context }: RowActionsProps) {
  const { trigger, popup } = useMenu({
    items: () =>
      actions.map((action) => ({
        ...availability(action.can?.(row)),
        key: action.name,
        label: t(action.title),
        danger: action.danger === true,
      })),
    onChoose: (key) => void actions.find(({ name }) => name === key)?.run(row, context),
  })
  return (
    <>
      <button {...trigger} type="button" className="row-action" aria-label={t('More')} title={t('More')}>
        <EllipsisIcon />
      </button>
      {popup}
    </>
  )
}
