import { PERMISSION } from '@sallyport/contract/access.ts'
import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { FileIcon, PlugIcon, SquareTerminalIcon, StarIcon } from 'lucide-react'
import { explained } from '../../design/tip.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { download } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import styles from '../lists.module.css'
import type { PageProps } from '../page-props.ts'
import { Announcement } from '../settings/Announcement.tsx'
import { openFiles, openTerminal } from '../windows.ts'
import { connectByClient } from './client/ConnectByClient.tsx'
import { DESKTOP, hasDesktopClients } from './client/client-lines.ts'
import { setFavorite, useFavorites } from './favorites.ts'
import { GrantedByNode } from './GrantedByNode.tsx'

export const routes = places({
  name: 'MyAssets',
  menu: 'user-top',
  title: msg('My assets'),
  icon: 'my-assets',
  path: '/',
  bits: PERMISSION.use,
  affix: true,
})

const MINE = '/api/v1/perms/users/'

/** All machines, for `ssh` and the editors that read its configuration (docs/your-own-tools.md). */
const saveSshConfig = async (): Promise<void> =>
  saveFile((await download('/api/v1/authentication/ssh-config/')).blob, 'sallyport.config')

/** The assets that the signed-in person was granted (A2.63). */
export function MyAssets({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <Announcement />
      <GrantedByNode prefix={MINE} everything={grantedAsset.path} pages={myAssetPages} base="MyAsset" inAddress />
    </PageFrame>
  )
}

const myAssetPages = definePages<GrantedAsset>(grantedAsset, {
  list: {
    none: msg('No assets are granted to you yet'),
    whatNext: msg('Ask an administrator for access.'),
    request: { title: msg('Request access'), page: 'RequestAssetPermTicketCreateUpdate' },
    columns: [
      {
        field: 'hostname',
        dialog: {
          fields: ['hostname', 'ip', 'protocols', 'platform', 'is_active', 'comment'],
          title: (row) => `${row.hostname}(${row.ip})`,
          dimmed: (row) => !row.is_active,
        },
      },
      'ip',
      {
        field: 'system_users',
        title: msg('System users@@field'),
        lazyNames: (row) => `${MINE}assets/${row.id}/system-users/`,
      },
      { field: 'platform', width: 120 },
      'comment',
      {
        field: 'connect',
        title: msg('Actions@@column'),
        width: 140,
        align: 'center',
        cell: ({ row }) => <Buttons row={row} />,
      },
    ],
    minColumns: ['hostname', 'connect'],
    headerActions: [{ name: 'ssh-config', title: msg('Configuration for ssh'), run: saveSshConfig }],
    hasActions: false,
  },
})

/** Whether it is shown as a picture. */
const isDesktop = ({ protocols }: GrantedAsset) => protocols.some((entry) => /^(?:rdp|vnc)\//.test(entry))

function Buttons({ row }: { row: GrantedAsset }) {
  const favorite = useFavorites().has(row.id)
  const servesFiles = row.protocols.some((entry) => entry.startsWith('ssh/'))
  const off = row.is_active ? undefined : t('The asset is disabled')
  const withoutFiles = off ?? (servesFiles ? undefined : t('Files need SSH'))
  const star = favorite ? t('Remove from favorites') : t('Add to favorites')
  return (
    <span className={`row-actions ${styles.iconActions}`}>
      <button
        type="button"
        className="link"
        aria-label={t('Connect to {{name}}', { name: row.hostname })}
        title={t('Connect')}
        {...explained(off)}
        onClick={() => !off && openTerminal(row.id)}
      >
        <SquareTerminalIcon />
      </button>
      <button
        type="button"
        className="link"
        aria-label={t('Files of {{name}}', { name: row.hostname })}
        title={t('File manager')}
        {...explained(withoutFiles)}
        onClick={() => !withoutFiles && openFiles(row.id)}
      >
        <FileIcon />
      </button>
      {hasDesktopClients() && isDesktop(row) && (
        <button
          type="button"
          className="link"
          aria-label={t('Connect to {{name}} with a client of your own', { name: row.hostname })}
          title={t('Connect with a client of your own')}
          {...explained(off)}
          onClick={() => !off && connectByClient({ family: 'asset', id: row.id, name: row.hostname, type: DESKTOP })}
        >
          <PlugIcon />
        </button>
      )}
      <button
        type="button"
        className="link"
        aria-pressed={favorite}
        aria-label={star}
        title={star}
        onClick={() => void setFavorite(row.id, !favorite).catch(() => {})}
      >
        {favorite ? <StarIcon className={`filled ${styles.star}`} /> : <StarIcon />}
      </button>
    </span>
  )
}

export const pages = { MyAssets }
