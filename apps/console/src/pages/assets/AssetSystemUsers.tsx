import { asset as assetDefinition } from '@sallyport/contract/resources/assets/asset.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import {
  type SystemUserAssetRelation,
  systemUserAssetRelation,
} from '@sallyport/contract/resources/assets/system-user-asset-relation.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { QuickActions } from '../../generic/detail/QuickActions.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { connectivityCell } from '../connectivity-cell.tsx'
import { runTask } from '../run-task.ts'
import { AssociateCard } from './AssociateCard.tsx'
import { systemUserWords } from './system-user-words.ts'

const RELATIONS = systemUserAssetRelation.path

/** With the system users of these rows, which are of one asset. */
const startChosen = (
  action: 'push_system_user' | 'test_system_user',
  rows: readonly SystemUserAssetRelation[],
): Promise<void> =>
  runTask(`${assetDefinition.path}${rows[0]?.asset}/tasks/`, {
    action,
    system_users: rows.map(({ systemuser }) => systemuser),
  })

const pages = definePages<SystemUserAssetRelation>(systemUserAssetRelation, {
  list: {
    columns: [
      {
        field: 'systemuser_display',
        title: msg('System user'),
        cell: linkCell(
          ({ systemuser }) => addressOf('SystemUserDetail', { id: String(systemuser) }),
          (row) => row.systemuser_display,
        ),
      },
      { field: 'connectivity', title: msg('Reachable'), width: 136, cell: connectivityCell },
      'date_verified',
    ],
    defaultColumns: ['systemuser_display', 'connectivity'],
    hasSearch: false,
    rowActions: [
      {
        name: 'test',
        title: msg('Test'),
        order: 5,
        run: (row) =>
          runTask(`${systemUser.path}${row.systemuser}/tasks/`, { action: 'test', assets: [row.asset] }).catch(
            () => {},
          ),
      },
      {
        name: 'push',
        title: msg('Push@@action'),
        order: 6,
        run: (row) =>
          runTask(`${systemUser.path}${row.systemuser}/tasks/`, { action: 'push', assets: [row.asset] }).catch(
            () => {},
          ),
      },
    ],
    bulkActions: [
      {
        name: 'test',
        title: msg('Test'),
        run: (_ids, rows) => startChosen('test_system_user', rows).catch(() => {}),
      },
      {
        name: 'push',
        title: msg('Push@@action'),
        run: (_ids, rows) => startChosen('push_system_user', rows).catch(() => {}),
      },
    ],
  },
  rowTitle: (row) => row.systemuser_display ?? '',
})

/** The identities by which an asset can be entered, and whether they work. */
export function AssetSystemUsers({ row, refresh }: DetailProps) {
  return (
    <div className="detail-grid">
      <ResourceTable pages={pages} base="SystemUserAssetRelation" inAddress={false} query={{ asset: row.id }} />
      <div className="detail-side">
        <QuickActions
          row={row}
          refresh={refresh}
          actions={[
            {
              name: 'test-all',
              title: msg('Test all system users'),
              button: msg('Test'),
              run: () => runTask(`${assetDefinition.path}${row.id}/tasks/`, { action: 'test_system_user' }),
            },
            {
              name: 'push-all',
              title: msg('Create all of them on this asset'),
              button: msg('Push@@action'),
              run: () => runTask(`${assetDefinition.path}${row.id}/tasks/`, { action: 'push_system_user' }),
            },
          ]}
        />
        <AssociateCard
          title={t('Associate system users')}
          choose={{ path: systemUser.path, display: systemUserWords, query: { protocol__in: 'ssh,rdp,telnet,vnc' } }}
          changed={RELATIONS}
          add={(ids) =>
            api.post(
              RELATIONS,
              ids.map((systemuser) => ({ asset: row.id, systemuser })),
            )
          }
        />
      </div>
    </div>
  )
}
