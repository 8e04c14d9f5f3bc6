import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import type { SystemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import {
  type SystemUserAssetRelation,
  systemUserAssetRelation,
} from '@sallyport/contract/resources/assets/system-user-asset-relation.ts'
import { systemUserNodeRelation } from '@sallyport/contract/resources/assets/system-user-node-relation.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { QuickActions } from '../../generic/detail/QuickActions.tsx'
import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { BulkAction, RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { connectivityCell } from '../connectivity-cell.tsx'
import { runTask } from '../run-task.ts'
import { AssociateCard } from './AssociateCard.tsx'
import { assetsBelow } from './assets-below.ts'

const RELATIONS = systemUserAssetRelation.path
const NODES = systemUserNodeRelation.path

/** On these assets, or on all that it is linked to. */
const start = (action: 'push' | 'test' | 'remove', id: unknown, assets?: readonly unknown[]) =>
  runTask(`${systemUser.path}${id}/tasks/`, { action, ...(assets ? { assets } : {}) })

const rowAction = (name: 'push' | 'test', title: string, order: number): RowAction<SystemUserAssetRelation> => ({
  name,
  title,
  order,
  run: (row) => start(name, row.systemuser, [row.asset]).catch(() => {}),
})
const bulkAction = (name: 'push' | 'test' | 'remove', title: string): BulkAction<SystemUserAssetRelation> => ({
  name,
  title,
  run: (_ids, rows) =>
    start(
      name,
      rows[0]?.systemuser,
      rows.map((row) => row.asset),
    ).catch(() => {}),
})
const pushRow = rowAction('push', msg('Push@@action'), 6)
const pushRows = bulkAction('push', msg('Push@@action'))
// Deleting the row leaves the account where it is.
const removeThere = { ...bulkAction('remove', msg('Remove the account there')), danger: true, asks: true }

/** Only what may be pushed has the action. */
const pagesOf = (isPushed: boolean) =>
  definePages<SystemUserAssetRelation>(systemUserAssetRelation, {
    list: {
      columns: [
        {
          field: 'asset_display',
          title: msg('Asset'),
          cell: linkCell(
            ({ asset }) => addressOf('AssetDetail', { id: String(asset) }),
            (row) => row.asset_display,
          ),
        },
        { field: 'connectivity', title: msg('Reachable'), width: 136, cell: connectivityCell },
        'date_verified',
      ],
      defaultColumns: ['asset_display', 'connectivity'],
      hasSearch: false,
      rowActions: [rowAction('test', msg('Test'), 5), ...(isPushed ? [pushRow] : [])],
      bulkActions: [bulkAction('test', msg('Test')), ...(isPushed ? [pushRows, removeThere] : [])],
    },
    rowTitle: (row) => row.asset_display ?? '',
  })
const pushedPages = pagesOf(true)
const otherPages = pagesOf(false)

/** The assets on which an identity exists, and the nodes whose assets all get it. */
export function SystemUserAssets({ row, refresh }: DetailProps<SystemUser>) {
  return (
    <div className="detail-grid">
      <ResourceTable
        pages={row.auto_push ? pushedPages : otherPages}
        base="SystemUserAssetRelation"
        inAddress={false}
        query={{ systemuser: row.id }}
      />
      <div className="detail-side">
        <QuickActions
          row={row as unknown as Row}
          refresh={refresh}
          actions={[
            {
              name: 'test-all',
              title: msg('Test on all assets'),
              button: msg('Test'),
              run: () => start('test', row.id),
            },
            {
              name: 'push-all',
              title: msg('Create it on all assets'),
              button: msg('Push@@action'),
              can: ({ auto_push }) => auto_push === true || t('Its form says that it is not pushed'),
              run: () => start('push', row.id),
            },
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
