import { CodeOutlined, FileOutlined, StarFilled, StarOutlined } from '@ant-design/icons'
import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { Modal } from 'antd'
import { useState } from 'react'
import { PageFrame } from '../../app/PageFrame.tsx'
import type { PageProps } from '../../app/registry.ts'
import { DetailCard } from '../../generic/DetailCard.tsx'
import { definePages } from '../../generic/define-pages.ts'
import { ResourceTable } from '../../generic/ResourceTable.tsx'
import type { Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { useBorrowedMetadata } from '../borrowed-metadata.ts'
import { Announcement } from '../settings/Announcement.tsx'
import { openFiles, openTerminal } from '../windows.ts'
import { setFavorite, useFavorites } from './favorites.ts'
import { GrantedTree } from './GrantedTree.tsx'
import { SystemUsersCell } from './SystemUsersCell.tsx'

const MINE = '/api/v1/perms/users/'

/** The assets that the signed-in person was granted (spec A2.63). */
export function MyAssets({ title }: PageProps) {
  const [node, setNode] = useState('')
  const [shown, setShown] = useState<Row>()
  const path = node ? `${MINE}nodes/${node}/assets/` : grantedAsset.path
  const ready = useBorrowedMetadata(path, grantedAsset.path)
  const [pages] = useState(() => myAssetPages(setShown))
  return (
    <PageFrame title={title}>
      <Announcement />
      <div className="with-tree">
        <aside>
          <GrantedTree prefix={MINE} chosen={node} onChoose={setNode} />
        </aside>
        <div className="beside-tree inset">
          {ready && <ResourceTable key={path} pages={pages} base="MyAsset" path={path} inAddress={node === ''} />}
        </div>
      </div>
      <Modal
        open={shown !== undefined}
        title={shown ? `${shown.hostname}(${shown.ip})` : ''}
        footer={null}
        destroyOnHidden
        onCancel={() => setShown(undefined)}
      >
        {shown && (
          <DetailCard definition={grantedAsset} row={shown} items={['hostname', 'ip', 'protocols', 'platform', 'is_active', 'comment']} />
        )}
      </Modal>
    </PageFrame>
  )
}

function myAssetPages(show: (row: Row) => void) {
  return definePages<GrantedAsset>(grantedAsset, {
    list: {
      columns: [
        {
          field: 'hostname',
          cell: ({ row }) => (
            <button type="button" className={row.is_active ? 'link' : 'link off'} onClick={() => show(row as unknown as Row)}>
              {row.hostname}
            </button>
          ),
        },
        'ip',
        { field: 'system_users', title: msg('System users@@field'), cell: ({ row }) => <SystemUsersCell prefix={MINE} asset={row.id} /> },
        { field: 'platform', width: 120 },
        'comment',
        { field: 'connect', title: msg('Actions@@column'), width: 110, align: 'center', cell: ({ row }) => <Buttons row={row} /> },
      ],
      minColumns: ['hostname', 'connect'],
      hasActions: false,
    },
  })
}

function Buttons({ row }: { row: GrantedAsset }) {
  const favorite = useFavorites().has(row.id)
  const servesFiles = row.protocols.some((entry) => entry.startsWith('ssh/'))
  const star = favorite ? t('Remove from favorites') : t('Add to favorites')
  return (
    <span className="row-actions icon-actions">
      <button
        type="button"
        className="link"
        disabled={!row.is_active}
        aria-label={t('Connect to {{name}}', { name: row.hostname })}
        title={row.is_active ? t('Connect') : t('The asset is switched off')}
        onClick={() => openTerminal(row.id)}
      >
        <CodeOutlined />
      </button>
      <button
        type="button"
        className="link"
        disabled={!row.is_active || !servesFiles}
        aria-label={t('Files of {{name}}', { name: row.hostname })}
        title={row.is_active ? (servesFiles ? t('File Manager') : t('Files need SSH')) : t('The asset is switched off')}
        onClick={() => openFiles(row.id)}
      >
        <FileOutlined />
      </button>
      <button
        type="button"
        className="link"
        aria-pressed={favorite}
        aria-label={star}
        title={star}
        onClick={() => void setFavorite(row.id, !favorite).catch(() => {})}
      >
        {favorite ? <StarFilled className="star" /> : <StarOutlined />}
      </button>
    </span>
  )
}
