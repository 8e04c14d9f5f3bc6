import {
  type OrganizationInvitation,
  organizationInvitation,
} from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import { Named } from '../../design/Named.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { confirmAndCall } from './confirm-and-call.ts'
import { roleNames } from './invitations/org-roles.ts'

export const routes = places({
  name: 'OrganizationInvitationList',
  menu: 'users',
  title: msg('Invitations'),
  path: '/users/invitations',
  hidden: true,
  active: '/users/users',
})

const invitationPages = definePages<OrganizationInvitation>(organizationInvitation, {
  list: {
    columns: [
      { field: 'user', title: msg('User'), cell: ({ row }) => <Named text={row.user_display} /> },
      { field: 'roles', title: msg('Organization role'), cell: ({ row }) => roleNames(row.roles) },
      {
        field: 'status',
        cell: ({ row: { status, status_display: words } }) => (
          <StateCell tone={status === 'pending' ? 'info' : 'warning'} words={words} />
        ),
      },
      'invited_by',
      'date_created',
      'date_expired',
    ],
    minColumns: ['user', 'status'],
    none: msg('Nobody is invited'),
    canDelete: false,
    rowActions: [
      {
        name: 'withdraw',
        title: msg('Withdraw@@invitation'),
        danger: true,
        can: ({ status }) => status === 'pending' || t('This person has declined'),
        run: async ({ id, user_display: name }, { refresh }) => {
          await confirmAndCall(
            {
              title: t('Withdraw the invitation of {{name}}?', { name }),
              content: t('They can no longer accept it. You can invite them again.'),
              okText: t('Withdraw@@invitation'),
            },
            () => api.delete(`${organizationInvitation.path}${id}/`),
            t('Withdrawn@@invitation'),
          )
          await refresh()
        },
      },
    ],
  },
})

/** Whom the organization has invited, until they answer. */
export function OrganizationInvitationList({ title }: PageProps) {
  return (
    <PageFrame
      title={title}
      lead={t(
        'Invite people from the list of users. They belong to the organization once they accept, on their profile.',
      )}
    >
      <ResourceTable pages={invitationPages} base="OrganizationInvitation" inAddress />
    </PageFrame>
  )
}

export const pages = { OrganizationInvitationList }
