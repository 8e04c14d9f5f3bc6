import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { NamesInWords } from '../../generic/detail/Sentence.tsx'
import { nameOfRow, useStoredRows } from '../../generic/rows/stored-rows.ts'
import type { FactGroup } from '../../generic/view/detail-view.ts'
import { REFERENCES, type Reference } from '../../generic/view/references.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'

interface BoundToProps {
  ids: readonly string[]
  from: Reference
  /** Route of their own pages. */
  page: string
}

/** Names of what a filter is bound to, each leading to its page. */
function BoundTo({ ids, from, page }: BoundToProps) {
  const { named, waiting } = useStoredRows(from.path, ids)
  const things = ids.map((id) => {
    const row = named.get(id)
    return { words: row ? nameOfRow(from.display, row) : waiting ? '…' : id, address: addressOf(page, { id }) }
  })
  return <NamesInWords things={things} most={6} none={t('None')} />
}

const BINDINGS = [
  { field: 'users', title: msg('Users@@field'), from: 'user', page: 'UserDetail' },
  { field: 'user_groups', title: msg('User groups@@field'), from: 'user_group', page: 'UserGroupDetail' },
  { field: 'assets', title: msg('Assets@@field'), from: 'asset', page: 'AssetDetail' },
  { field: 'system_users', title: msg('System users@@field'), from: 'system_user', page: 'SystemUserDetail' },
] as const

/** In whose sessions, and in those with what, a filter is obeyed: any one of these is enough. */
export const boundTo: FactGroup<CommandFilter> = {
  title: msg('Obeyed in every session with one of these'),
  fields: BINDINGS.map(({ field, title, from, page }) => ({
    field,
    title,
    has: (row) => row[field].length > 0,
    render: (row) => <BoundTo ids={row[field]} from={REFERENCES[from] as Reference} page={page} />,
  })),
}
