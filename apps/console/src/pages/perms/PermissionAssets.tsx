import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { assetPermissionAssetRelation } from '@sallyport/contract/resources/perms/asset-permission-asset-relation.ts'
import { assetPermissionNodeRelation } from '@sallyport/contract/resources/perms/asset-permission-node-relation.ts'
import { assetPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/asset-permission-system-user-relation.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { AssociateCard } from '../assets/AssociateCard.tsx'
import { systemUserWords } from '../assets/system-user-words.ts'
import { CoveredTable } from './CoveredTable.tsx'
import { PermissionRelation } from './PermissionRelation.tsx'

const ASSETS = assetPermissionAssetRelation.path

/** What a permission is about, and as whom it is entered. */
export function PermissionAssets({ row }: DetailProps<AssetPermission>) {
  const changed = () => void forget(assetPermission.path)
  return (
    <div className="detail-grid">
      <CoveredTable
        title={t('All assets of the permission')}
        path={`${assetPermission.path}${row.id}/assets/all/`}
        name="asset"
        relations={ASSETS}
        permission={row.id}
        onChanged={changed}
        empty={t('Nothing yet: add assets or nodes.')}
      />
      <div className="detail-side">
        <AssociateCard
          title={t('Add assets')}
          choose={{ path: asset.path, display: asset.display }}
          changed={ASSETS}
          add={async (ids) => {
            await api.post(
              ASSETS,
              ids.map((one) => ({ assetpermission: row.id, asset: one })),
            )
            changed()
          }}
        />
        <PermissionRelation
          title={t('Nodes')}
          path={assetPermissionNodeRelation.path}
          field="node"
          permission={row.id}
          choose={{ path: node.path, display: '{full_value}' }}
          onChanged={changed}
        />
        <PermissionRelation
          title={t('System users@@field')}
          path={assetPermissionSystemUserRelation.path}
          field="systemuser"
          permission={row.id}
          choose={{ path: systemUser.path, display: systemUserWords, query: { protocol__in: 'rdp,ssh,vnc,telnet' } }}
          keepsLast
          onChanged={changed}
        />
      </div>
    </div>
  )
}
