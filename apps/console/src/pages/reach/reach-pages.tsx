import { type AccessPath, type AccessPerson, accessPerson } from '@sallyport/contract/resources/perms/access-person.ts'
import { type AccessTarget, accessTarget } from '@sallyport/contract/resources/perms/access-target.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { Name, type Named } from '../../generic/detail/Sentence.tsx'
import type { RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { applicationAddress } from '../application-address.ts'
import styles from './reach.module.css'

/** The row that the lists are about. */
export interface About {
  part: 'user' | 'asset' | 'application' | 'permission'
  id: string
}

const ACCESS_COLUMNS: readonly ColumnView[] = [
  { field: 'accounts', sorter: false },
  {
    field: 'ways',
    title: msg('By'),
    width: 380,
    sorter: false,
    cell: ({ row }) => <Ways paths={row.paths as AccessPath[]} />,
  },
  { field: 'date_expired', sorter: false },
]

/** Leads to the question of why, about a row. */
const why = <R extends { id: string }>(question: (row: R) => Readonly<Record<string, string>>): RowAction<R> => ({
  name: 'why',
  title: msg('Why'),
  has: () => addressOf('AccessCheck') !== undefined,
  run: (row, { go }) => go(listOf('AccessCheck', question(row)) ?? ''),
})

const READ_ONLY = {
  canCreate: false,
  canUpdate: false,
  canDelete: false,
  canClone: false,
  canBulkDelete: false,
} as const

/** The people who reach a target, or have access by a permission. */
export const peoplePages = ({ part, id }: About) =>
  definePages<AccessPerson>(accessPerson, {
    list: {
      ...READ_ONLY,
      columns: [
        {
          field: 'name',
          cell: linkCell<AccessPerson>(
            (row) => addressOf('UserDetail', { id: row.id }),
            (row) => row.name,
          ),
        },
        'username',
        ...ACCESS_COLUMNS,
      ],
      foldFirst: ['username'],
      rowActions: [why((row) => ({ user: row.id, [part]: id }))],
      none: msg('Nobody can open a session now'),
      whatNext: msg('People who were named, but cannot connect now, are not here. Check access says why.'),
    },
  })

/** The targets that a person reaches, or that a permission leads to. */
export const targetPages = ({ part, id }: About) =>
  definePages<AccessTarget>(accessTarget, {
    list: {
      ...READ_ONLY,
      columns: [
        {
          field: 'name',
          cell: linkCell<AccessTarget>(
            (row) =>
              row.family === 'asset'
                ? addressOf('AssetDetail', { id: row.id })
                : applicationAddress(row.category ?? '', row.id),
            (row) => row.name,
          ),
        },
        'address',
        'kind',
        ...ACCESS_COLUMNS,
        'org_name',
      ],
      defaultColumns: ['name', 'address', 'accounts', 'ways', 'date_expired'],
      foldFirst: ['address'],
      rowActions: [why((row) => ({ [part]: id, [row.family]: row.id }))],
      none: msg('Nothing can be reached now'),
      whatNext: msg('Targets that were granted, but cannot be connected to now, are not here. Check access says why.'),
    },
  })

/** The names between the ends of each path: group, permission, node. */
function Ways({ paths = [] }: { paths: readonly AccessPath[] | undefined }) {
  return (
    <ul className={styles.ways}>
      {paths.map((path) => (
        <li key={[path.user_group?.id, path.permission.id, path.node?.id].join(' ')}>
          {between(path).map((thing, at) => (
            <span key={`${thing.address} ${thing.words}`}>
              {at > 0 && ' → '}
              <Name thing={thing} />
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}

function between({ user_group, permission, node }: AccessPath): Named[] {
  const page = permission.family === 'asset' ? 'AssetPermissionDetail' : 'ApplicationPermissionDetail'
  return [
    ...(user_group ? [{ words: user_group.name, address: addressOf('UserGroupDetail', { id: user_group.id }) }] : []),
    { words: permission.name, address: addressOf(page, { id: permission.id }) },
    ...(node ? [{ words: node.name, address: undefined }] : []),
  ]
}

/** Said to screen readers in the place of the picture. */
export const pictureWords = () => t('The table has the same paths in words.')
