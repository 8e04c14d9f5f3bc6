import { ChevronDownIcon, PlusIcon } from 'lucide-react'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { type MenuGroup, useMenu } from '../../design/popups/menu.tsx'
import { type Query, withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { whenIdle } from '../../lib/when-idle.ts'
import { preloadForms } from '../form/preload-forms.ts'
import type { CreateKind } from '../view/list-view.ts'
import { READ_ONLY } from '../view/write-rules.ts'

interface CreateButtonProps {
  /** The create page. */
  address: string
  query: Query
  /** Offered as a menu when there are any. */
  kinds: readonly CreateKind[] | undefined
  frozen: boolean
  isPrimary: boolean
}

/**
 * Create, or a menu of what may be created, in groups where kinds name them
 * (docs/rules/lists-and-forms.md#create).
 */
export function CreateButton({ address, query, kinds, frozen, isPrimary }: CreateButtonProps) {
  const navigate = useNavigate()
  useEffect(() => whenIdle(() => void preloadForms()), [])
  const open = (kind: Query = {}) => void navigate(withQuery(address, { ...query, ...kind }))
  const { trigger, popup } = useMenu({
    items: menuItems(kinds ?? []),
    onChoose: (key) => open(kinds?.find(({ name }) => name === key)?.query),
  })
  const look = {
    type: isPrimary ? 'primary' : 'default',
    icon: <PlusIcon />,
    onPointerEnter: () => void preloadForms(),
    onFocus: () => void preloadForms(),
    whyDisabled: frozen ? READ_ONLY() : undefined,
  } as const
  if (!kinds)
    return (
      <Button {...look} onClick={() => open()}>
        {t('Create')}
      </Button>
    )
  return (
    <>
      <Button {...trigger} {...look}>
        {t('Create')} <ChevronDownIcon />
      </Button>
      {popup}
    </>
  )
}

function menuItems(kinds: readonly CreateKind[]): MenuGroup[] {
  const item = ({ name, title }: CreateKind) => ({ key: name, label: t(title) })
  const groups = [...new Set(kinds.map(({ group }) => group))]
  return groups.map((group) => ({
    ...(group === undefined ? {} : { title: t(group) }),
    items: kinds.filter((kind) => kind.group === group).map(item),
  }))
}
