import { ChevronDownIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { type ActionContext, type HeaderAction, whyNot } from '../view/actions.ts'

/** An action of a page beside Create: a button, or a menu where the action has items. */
export function HeaderButton({ action, context }: { action: HeaderAction; context: ActionContext }) {
  const { title, items, primary, run } = action
  const { trigger, popup } = useMenu({
    items: items?.map((item) => ({ key: item.name, label: t(item.title) })) ?? [],
    onChoose: (key) => items?.find(({ name }) => name === key)?.run(context),
  })
  const look = {
    ...(primary ? { type: 'primary' as const } : {}),
    whyDisabled: whyNot(action.can?.()),
  }
  if (!items)
    return (
      <Button {...look} onClick={() => run?.(context)}>
        {t(title)}
      </Button>
    )
  return (
    <>
      <Button {...trigger} {...look}>
        {t(title)} <ChevronDownIcon />
      </Button>
      {popup}
    </>
  )
}
