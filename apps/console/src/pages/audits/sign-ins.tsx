import { type OrgSignIn, orgSignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { mayAccess } from '../../app/session.ts'
import { definePages } from '../../generic/define-pages.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { endSignIn, placeOf, signInName } from '../users/ending-sign-ins.ts'

/** What everybody of the organisation is signed in with; administrators end one of it, auditors read. */
export const orgSignInPages = definePages<OrgSignIn>(orgSignIn, {
  list: {
    columns: [
      'user',
      { field: 'kind', width: 130 },
      {
        field: 'user_agent',
        title: msg('Program'),
        cell: ({ row }) => <span title={row.user_agent}>{signInName(row)}</span>,
        sorter: false,
      },
      { field: 'remote_addr', cell: ({ row }) => placeOf(row) },
      'date_created',
      { field: 'date_last_seen', cell: ({ row }) => (row.date_last_seen ? formatDate(row.date_last_seen) : t('never')) },
    ],
    minColumns: ['user', 'kind'],
    canDelete: false,
    rowActions: [
      {
        name: 'sign-out',
        title: msg('Sign out'),
        danger: true,
        has: () => mayAccess(['org_admin']),
        can: (row) => !row.is_current || t('You are signed in with this'),
        run: (row, { refresh }) => endSignIn(row, orgSignIn.path, refresh, row.user),
      },
    ],
  },
})
