import {
  type GatheredKey,
  type GatheredUser,
  gatheredUser,
} from '@sallyport/contract/resources/accounts/gathered-user.ts'
import { Status } from '../../design/Status.tsx'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { NODE_TREE_KEYS, nodeTree } from '../../generic/tree/NodeTree.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { showWith } from '../dialogs.tsx'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import styles from './accounts.module.css'
import { gatherTaskPages } from './gathered-user-task.page.tsx'

export const routes = places({
  name: 'GatherUserList',
  menu: 'accounts',
  order: 30,
  title: msg('Gathered users'),
  path: '/accounts/gathered-user',
  alsoAt: { '/accounts/gathered-user/tasks': 'activeTab=GatherUserTaskList' },
})

const TONES = { new: 'warning', changed: 'warning', vanished: 'danger' } as const

export const gatheredUserPages = definePages<GatheredUser>(gatheredUser, {
  list: {
    columns: [
      {
        field: 'hostname',
        cell: linkCell(
          ({ asset }) => addressOf('AssetDetail', { id: asset }),
          (row) => row.hostname,
        ),
        sorter: false,
      },
      { field: 'ip', sorter: false },
      'username',
      { field: 'owners', cell: ({ row }) => <Owners row={row} />, sorter: false },
      { field: 'people', width: 136, cell: ({ row }) => <People row={row} />, sorter: false },
      { field: 'unexplained_keys', width: 128, cell: ({ row }) => <Keys row={row} />, sorter: false },
      {
        field: 'change',
        width: 128,
        cell: ({ row }) =>
          row.change ? <Status tone={TONES[row.change] ?? 'quiet'}>{row.change_display}</Status> : null,
      },
      { field: 'present', width: 96 },
      'is_admin',
      'shell',
      'home',
      'ip_last_login',
      { field: 'date_last_login', cell: ({ row }) => (row.date_last_login ? formatDate(row.date_last_login) : '') },
      {
        field: 'is_last_login_known',
        title: msg('Signed in via Sallyport'),
        width: 136,
        cell: ({ row }) => <LastLogin row={row} />,
        sorter: false,
      },
      'date_updated',
    ],
    defaultColumns: [
      'hostname',
      'username',
      'owners',
      'people',
      'unexplained_keys',
      'change',
      'present',
      'date_last_login',
      'is_last_login_known',
      'ip_last_login',
    ],
    minColumns: ['hostname', 'username'],
    foldFirst: ['ip_last_login', 'present', 'date_last_login', 'change'],
    linkColumn: 'hostname',
    hideSearch: ['asset'],
    hasSelection: false,
    canDelete: false,
    canBulkDelete: false,
    leftTree: nodeTree({ assets: true, readOnly: true }),
    treeKeys: NODE_TREE_KEYS,
  },
  rowTitle: (row) => `${row.username}@${row.hostname}`,
})

/** System users that log in to it from here; none is what an administrator wants to see. */
function Owners({ row: { owners, present } }: { row: GatheredUser }) {
  if (owners.length) return owners.join(', ')
  return present ? <Status tone="warning">{t('Nobody')}</Status> : null
}

/** People who may use it by a permission: one by name, more by number, with the first of them behind it. */
function People({ row: { people, people_amount: amount } }: { row: GatheredUser }) {
  if (!amount) return <span className="quiet none">{t('Nobody')}</span>
  if (amount === 1) return people[0]
  const more = amount > people.length ? ' …' : ''
  return <span title={people.join(', ') + more}>{t('{{count|person|people}}', { count: amount })}</span>
}

/** Whether the last sign-in there came through Sallyport. */
function LastLogin({ row: { is_last_login_known: isKnown } }: { row: GatheredUser }) {
  if (isKnown === null) return null
  return <Status tone={isKnown ? 'quiet' : 'warning'}>{isKnown ? t('From here') : t('Bypassed Sallyport')}</Status>
}

/** How many of its keys are not known here, which opens into all of them. */
function Keys({ row }: { row: GatheredUser }) {
  const keys = row.keys as readonly GatheredKey[] | null
  if (!keys) return <span className="quiet">{t('Not readable')}</span>
  if (!keys.length) return <span className="quiet none">0</span>
  return (
    <button
      type="button"
      className="link"
      onClick={() => showWith(t('Authorized keys of {{name}}', { name: row.username }), <KeyList keys={keys} />)}
    >
      {row.unexplained_keys ? (
        <Status tone="danger">{t('{{count}} of {{all}}', { count: row.unexplained_keys, all: keys.length })}</Status>
      ) : (
        '0'
      )}
    </button>
  )
}

function KeyList({ keys }: { keys: readonly GatheredKey[] }) {
  return (
    <ul className={`plain-list ${styles.authorizedKeys}`}>
      {keys.map(({ type, fingerprint, comment, is_explained }) => (
        <li key={fingerprint}>
          <Status tone={is_explained ? 'good' : 'danger'}>
            {is_explained ? t('Known here') : t('Belongs to no account here')}
          </Status>
          <code>
            {type} {fingerprint}
          </code>
          <span className="quiet">{comment}</span>
        </li>
      ))}
    </ul>
  )
}

const LISTS: readonly TabbedList[] = [
  { name: 'GatherUserList', title: msg('Gathered users'), pages: gatheredUserPages, base: 'GatheredUser' },
  { name: 'GatherUserTaskList', title: msg('Tasks@@gather'), pages: gatherTaskPages, base: 'GatherUserTask' },
]

/** Accounts that are on machines themselves, and the tasks that read them (A2.28). */
export function GatherUserList({ title }: PageProps) {
  return (
    <ListTabs
      title={title}
      lead={msg(
        'Tasks read which accounts exist on assets. An account that nobody uses from here, or a key that no account here has, is a way around Sallyport.',
      )}
      lists={LISTS}
    />
  )
}

export const pages = { GatherUserList }
