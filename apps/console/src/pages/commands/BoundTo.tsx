import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { NamesInWords } from '../../generic/detail/Sentence.tsx'
import { nameOfRow, useStoredRows } from '../../generic/rows/stored-rows.ts'
import type { FactGroup } from '../../generic/view/detail-view.ts'
import { REFERENCES, type Reference } from '../../generic/view/references.ts'
import type { Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { applicationAddress } from '../application-address.ts'

interface BoundToProps {
  ids: readonly string[]
  from: Reference
  /** Where one has its own page; of what is gone the row is missing. */
  address: (id: string, row?: Row) => string | undefined
}

/** Names of what a filter is bound to, each leading to its page. */
function BoundTo({ ids, from, address }: BoundToProps) {
  const { named, waiting } = useStoredRows(from.path, ids)
  const things = ids.map((id) => {
    const row = named.get(id)
    return { words: row ? nameOfRow(from.display, row) : waiting ? '…' : id, address: address(id, row) }
  })
  return <NamesInWords things={things} most={6} none={t('None')} />
}

const at =
  (page: string) =>
  (id: string): string | undefined =>
    addressOf(page, { id })

const BINDINGS = [
  { field: 'users', title: msg('Users@@field'), from: 'user', address: at('UserDetail') },
  { field: 'user_groups', title: msg('User groups@@field'), from: 'user_group', address: at('UserGroupDetail') },
  { field: 'assets', title: msg('Assets@@field'), from: 'asset', address: at('AssetDetail') },
  {
    field: 'applications',
    title: msg('Applications@@field'),
    from: 'application',
    address: (id: string, row?: Row) => applicationAddress(String(row?.category), id),
  },
  { field: 'system_users', title: msg('System users@@field'), from: 'system_user', address: at('SystemUserDetail') },
] as const

/** In whose sessions, and in those with what, a filter is obeyed: any one of these is enough. */
export const boundTo: FactGroup<CommandFilter> = {
  title: msg('Obeyed in every session with one of these'),
  fields: BINDINGS.map(({ field, title, from, address }) => ({
    field,
    title,
    has: (row) => row[field].length > 0,
    render: (row) => <BoundTo ids={row[field]} from={REFERENCES[from] as Reference} address={address} />,
  })),
}
