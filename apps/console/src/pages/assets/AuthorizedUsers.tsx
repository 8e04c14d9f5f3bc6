import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { type User, user } from '@sallyport/contract/resources/users/user.ts'
import { type UserGroup, userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { useState } from 'react'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { BorrowedMetadata } from '../BorrowedMetadata.tsx'
import { roleWords } from '../row-states.ts'

const readOnly = {
  canCreate: false,
  canUpdate: false,
  canDelete: false,
  canClone: false,
  canBulkDelete: false,
} as const

const permissions = definePages<AssetPermission>(assetPermission, {
  list: {
    ...readOnly,
    columns: [
      'name',
      { field: 'users_amount', title: msg('Users@@field') },
      { field: 'user_groups_amount', title: msg('User groups@@card') },
      { field: 'assets_amount', title: msg('Assets@@field') },
      { field: 'nodes_amount', title: msg('Nodes') },
      'is_valid',
      'is_active',
      'date_expired',
      'comment',
      'created_by',
      'date_created',
    ],
    defaultColumns: ['name', 'is_valid', 'created_by', 'date_created'],
    hasActions: false,
  },
})

interface Asked {
  path: string
  title: string
}

/** People who may connect to an asset, and their permissions for it. */
export function AuthorizedUsers({ row }: DetailProps) {
  const base = `${asset.path}${row.id}/`
  const [asked, setAsked] = useState<Asked>()
  const [views] = useState(() => {
    const look = (path: string) => ({
      name: 'view',
      title: msg('Permissions@@action'),
      run: (one: { id: string; name: string }) => setAsked({ path: `${path}${one.id}/permissions/`, title: one.name }),
    })
    return {
      users: definePages<User>(user, {
        list: {
          ...readOnly,
          columns: [
            'name',
            'username',
            'email',
            'phone',
            'groups_display',
            { field: 'total_role_display', title: msg('Role'), cell: ({ value }) => roleWords(value) },
            'source',
            'is_valid',
            'last_login',
            'comment',
          ],
          defaultColumns: ['name', 'username', 'is_valid'],
          foldFirst: ['username'],
          rowActions: [look(`${base}perm-users/`)],
        },
      }),
      groups: definePages<UserGroup>(userGroup, {
        list: {
          ...readOnly,
          columns: ['name', 'comment'],
          hasSearch: false,
          rowActions: [look(`${base}perm-user-groups/`)],
        },
      }),
    }
  })
  return (
    <div className="detail-grid">
      <Borrowed pages={views.users} base="User" path={`${base}perm-users/`} />
      <div className="detail-side">
        <h3>{t('Authorized user groups')}</h3>
        <Borrowed pages={views.groups} base="UserGroup" path={`${base}perm-user-groups/`} />
      </div>
      {asked && (
        <LazyDialog
          title={t('Permissions of {{name}}', { name: asked.title })}
          width={900}
          onClose={() => setAsked(undefined)}
        >
          <Borrowed pages={permissions} base="AssetPermission" path={asked.path} />
        </LazyDialog>
      )}
    </div>
  )
}

function Borrowed({ pages, base, path }: { pages: ResourcePages; base: string; path: string }) {
  return (
    <BorrowedMetadata path={path} owner={pages.definition.path} waiting={<span>{t('Loading')}</span>}>
      <ResourceTable pages={pages} base={base} path={path} inAddress={false} />
    </BorrowedMetadata>
  )
}
