import { type OrgSignIn, orgSignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ListView } from '../../generic/view/list-view.ts'
import { formatDate, parseDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import type { PageProps } from '../page-props.ts'
import { endSignIn, placeOf, programOf } from '../users/ending-sign-ins.ts'

export const routes = places({
  name: 'SignInList',
  menu: 'audits',
  order: 20,
  title: msg('Active sign-ins'),
  path: '/audits/sign-ins',
})

const list: ListView<OrgSignIn> = {
  columns: [
    'user',
    { field: 'kind', width: 150 },
    {
      field: 'user_agent',
      title: msg('Program'),
      cell: ({ row }) => <span title={row.user_agent}>{programOf(row)}</span>,
      sorter: false,
    },
    { field: 'remote_addr', cell: ({ row }) => placeOf(row) },
    'date_created',
    { field: 'date_last_seen', cell: ({ row }) => (row.date_last_seen ? formatDate(row.date_last_seen) : t('never')) },
  ],
  minColumns: ['user', 'kind'],
  canDelete: false,
}

/** Actions during the sign-in. */
const seeSessions: RowAction<OrgSignIn> = {
  name: 'sessions',
  title: msg('Sessions@@action'),
  has: () => addressOf('SessionList') !== undefined,
  run: ({ id, date_created }, { go }) => {
    const query = new URLSearchParams({ sign_in_id: id })
    const since = parseDate(date_created)
    if (since) query.set('date_from', since.toISOString())
    go(`${addressOf('SessionList')}?${query}`)
  },
}

const readPages = definePages<OrgSignIn>(orgSignIn, { list: { ...list, rowActions: [seeSessions] } })

const adminPages = definePages<OrgSignIn>(orgSignIn, {
  list: {
    ...list,
    rowActions: [
      seeSessions,
      {
        name: 'end',
        title: msg('Revoke@@access'),
        danger: true,
        can: (row) => !row.is_current || t('You are signed in with this'),
        run: (row, { refresh }) => endSignIn(row, orgSignIn.path, refresh, row.user),
      },
    ],
  },
})

/**
 * What everybody of the organization is signed in with; administrators end one of it, auditors
 * read.
 */
export function SignInList({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <ResourceTable pages={mayAccess(['org_admin']) ? adminPages : readPages} base="SignIn" inAddress />
    </PageFrame>
  )
}

export const pages = { SignInList }
