import { useNavigate, useSearchParams } from 'react-router'
import type { Query } from '../../lib/api.ts'
import type { ActionContext } from '../view/actions.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { frozenByRootOrg } from '../view/write-rules.ts'
import { CreateButton } from './CreateButton.tsx'
import { HeaderButton } from './HeaderButton.tsx'
import { createAddressOf } from './table-actions.ts'

interface ListActionsProps {
  pages: ResourcePages
  base: string
  /** Reads the list again. */
  refresh: () => Promise<void>
  /** Query given to the create page, besides the view's own. */
  createQuery?: Query | undefined
}

/** Whether a list offers anything beside what is done to its rows. */
export function hasListActions(pages: ResourcePages, base: string): boolean {
  return (
    createAddressOf(pages, base) !== undefined || (pages.list?.headerActions ?? []).some(({ has }) => has?.() !== false)
  )
}

/** What people come to a list for: the page's own actions, and at the end Create. */
export function ListActions({ pages, base, refresh, createQuery }: ListActionsProps) {
  const navigate = useNavigate()
  const context: ActionContext = { refresh, go: (to) => void navigate(to) }
  return (
    <>
      {pages.list?.headerActions
        ?.filter(({ has }) => has?.() !== false)
        .map((action) => (
          <HeaderButton key={action.name} action={action} context={context} />
        ))}
      <CreateAction pages={pages} base={base} createQuery={createQuery} isPrimary />
    </>
  )
}

interface CreateActionProps extends Pick<ListActionsProps, 'pages' | 'base' | 'createQuery'> {
  isPrimary: boolean
}

/** Create, for those who may; nothing for others. */
export function CreateAction({ pages, base, createQuery, isPrimary }: CreateActionProps) {
  const [address] = useSearchParams()
  const createAddress = createAddressOf(pages, base)
  if (createAddress === undefined) return null
  const kinds = pages.list?.createKinds
  return (
    <CreateButton
      address={createAddress}
      query={{ ...pages.list?.createQuery?.(address), ...createQuery }}
      kinds={typeof kinds === 'function' ? kinds() : kinds}
      frozen={frozenByRootOrg(pages)}
      isPrimary={isPrimary}
    />
  )
}
