import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import type { SystemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import {
  type SystemUserAssetRelation,
  systemUserAssetRelation,
} from '@sallyport/contract/resources/assets/system-user-asset-relation.ts'
import { systemUserNodeRelation } from '@sallyport/contract/resources/assets/system-user-node-relation.ts'
import { Link } from 'react-router'
import { QuickActions } from '../../generic/detail/QuickActions.tsx'
import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { AssociateCard } from './AssociateCard.tsx'
import { runTask } from './asset-tasks.ts'
import { assetsBelow } from './assets-below.ts'
import { connectivityCell } from './connectivity-cell.tsx'

const RELATIONS = systemUserAssetRelation.path
const NODES = systemUserNodeRelation.path
const test = (id: unknown, assets?: readonly unknown[]) =>
  runTask(`${systemUser.path}${id}/tasks/`, { action: 'test', ...(assets ? { assets } : {}) })

const pages = definePages<SystemUserAssetRelation>(systemUserAssetRelation, {
  list: {
    columns: [
      {
        field: 'asset_display',
        title: msg('Asset'),
        cell: ({ row }) => {
          const detail = addressOf('AssetDetail', { id: String(row.asset) })
          return detail ? <Link to={detail}>{row.asset_display}</Link> : row.asset_display
        },
      },
      { field: 'connectivity', title: msg('Reachable'), width: 136, cell: connectivityCell },
      'date_verified',
    ],
    defaultColumns: ['asset_display', 'connectivity'],
    hasSearch: false,
    rowActions: [
      { name: 'test', title: msg('Test'), order: 5, run: (row) => test(row.systemuser, [row.asset]).catch(() => {}) },
    ],
    bulkActions: [
      {
        name: 'test',
        title: msg('Test'),
        run: (_ids, rows) =>
          test(
            rows[0]?.systemuser,
            rows.map((row) => row.asset),
          ).catch(() => {}),
      },
    ],
  },
  rowTitle: (row) => row.asset_display ?? '',
})

/** The assets on which an identity exists, and the nodes whose assets all get it. */
export function SystemUserAssets({ row, refresh }: DetailProps<SystemUser>) {
  return (
    <div className="detail-grid">
      <ResourceTable pages={pages} base="SystemUserAssetRelation" inAddress={false} query={{ systemuser: row.id }} />
      <div className="detail-side">
        <QuickActions
          row={row as unknown as Row}
          refresh={refresh}
          actions={[
            { name: 'test-all', title: msg('Test on all assets'), button: msg('Test'), run: () => test(row.id) },
          ]}
        />
        <AssociateCard
          title={t('Associate assets')}
          choose={{ path: asset.path, display: asset.display }}
          changed={RELATIONS}
          add={(ids) =>
            api.post(
              RELATIONS,
              ids.map((one) => ({ asset: one, systemuser: row.id })),
            )
          }
        />
        <RelationCard
          title={t('Nodes')}
          related={{
            path: NODES,
            query: { systemuser: row.id },
            words: (one) => String(one.node_display),
            id: (one) => String(one.node),
            address: (one) => assetsBelow(String(one.node)),
          }}
          choose={{ path: node.path, display: '{full_value}' }}
          add={(ids) =>
            api.post(
              NODES,
              ids.map((one) => ({ node: one, systemuser: row.id })),
            )
          }
          remove={(one) =>
            api.delete(NODES, { query: { systemuser: row.id, node: String(one.node) }, failed: t('Remove failed') })
          }
          onChanged={() => void forget(RELATIONS)}
        />
      </div>
    </div>
  )
}
