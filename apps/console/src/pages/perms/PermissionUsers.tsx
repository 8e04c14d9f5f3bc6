import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { assetPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from '@sallyport/contract/resources/perms/asset-permission-user-relation.ts'
import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { AssociateCard } from '../assets/AssociateCard.tsx'
import { CoveredTable } from './CoveredTable.tsx'
import { PermissionRelation } from './PermissionRelation.tsx'

const USERS = assetPermissionUserRelation.path

/** Who a permission is for. */
export function PermissionUsers({ row }: DetailProps<AssetPermission>) {
  const covered = `${assetPermission.path}${row.id}/users/all/`
  const changed = () => void forget(assetPermission.path)
  return (
    <div className="detail-grid">
      <CoveredTable
        title={t('All users of the permission')}
        path={covered}
        name="user"
        relations={USERS}
        permission={row.id}
        onChanged={changed}
        empty={t('Nobody yet: add users or user groups.')}
      />
      <div className="detail-side">
        <AssociateCard
          title={t('Add users')}
          choose={{
            path: '/api/v1/users/users/',
            display: '{name}({username})',
            query: { fields_size: 'mini', order: 'name' },
          }}
          changed={USERS}
          add={async (ids) => {
            await api.post(
              USERS,
              ids.map((user) => ({ assetpermission: row.id, user })),
            )
            changed()
          }}
        />
        <PermissionRelation
          title={t('User groups@@card')}
          path={assetPermissionUserGroupRelation.path}
          field="usergroup"
          permission={row.id}
          choose={{ path: userGroup.path, display: userGroup.display }}
          onChanged={changed}
        />
      </div>
    </div>
  )
}
