import type { Organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { type OrganizationMember, organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { type Losses, LossList } from '../users/leaving.tsx'
import { AddMembers } from './AddMembers.tsx'

const { path } = organizationMember

const memberPages = definePages<OrganizationMember>(organizationMember, {
  list: {
    columns: [
      { field: 'user_display', title: msg('Name') },
      { field: 'role_display', title: msg('Organization role') },
    ],
    linkColumn: '',
    hideSearch: ['org', 'user'],
    canCreate: false,
    canUpdate: false,
    canBulkDelete: false,
    hasExport: false,
  },
  deletion: (row, done) => void endMembership(row, done),
})

/**
 * Asks before one role of a person goes; when it is the last one here, what ends with it is shown.
 */
async function endMembership(row: OrganizationMember, done: () => unknown): Promise<void> {
  const all = await api.get<OrganizationMember[]>(path, { query: { org: row.org, user: row.user } })
  const others = all.filter(({ id }) => id !== row.id)
  const losses =
    others.length === 0
      ? await api.get<Losses>(`${user.path}${row.user}/remove/`, { query: { oid: row.org } })
      : undefined
  confirmDanger({
    title: losses
      ? t('Remove "{{name}}" from the organization?', { name: row.user_display })
      : t('"{{name}}" is no longer {{role}}?', { name: row.user_display, role: row.role_display }),
    content: losses ? (
      <LossList losses={losses} />
    ) : (
      <p>
        {t('Stays in the organization as {{roles}}.', {
          roles: others.map(({ role_display }) => role_display).join(' | '),
        })}
      </p>
    ),
    okText: t('Remove'),
    onOk: async () => {
      await api.delete(path, { query: { id: row.id }, failed: t('Remove failed') })
      showSuccess(t('Deleted'))
      await forget(path)
      await done()
    },
  })
}

/** Members of the organization, their roles, and a card to add more. */
export function MemberList({ row, refresh }: DetailProps<Organization>) {
  return (
    <div className="detail-grid">
      <ResourceTable
        pages={memberPages}
        base="OrganizationMember"
        inAddress={false}
        query={{ org: row.id }}
        onChanged={() => void refresh()}
      />
      <div className="detail-side">
        <AddMembers org={row} onAdded={() => Promise.all([forget(path), refresh()])} />
      </div>
    </div>
  )
}
