import { PERMISSION } from '@sallyport/contract/access.ts'
import { type ReplayStorage, replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { REPLAY_STORAGE_LABELS } from '@sallyport/contract/resources/terminal/replay-storage-types.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { moveRecordings } from './move-recordings.tsx'
import { storagePages } from './storage-pages.tsx'

export const routes = resourcePlaces('ReplayStorage', {
  menu: 'terminal',
  bits: PERMISSION.super,
  path: '/terminal/storages/replay-storage',
  paths: { Update: '/terminal/storages/replay-storage/:id/update' },
  titles: { Create: msg('Create replay storage'), Update: msg('Update replay storage') },
  active: '/terminal/terminal',
})

const { s3, ...others } = REPLAY_STORAGE_LABELS

/** Where recordings can go, which terminals then name (A2.42). */
export const replayStoragePages = storagePages<ReplayStorage>(replayStorage, {
  tab: 'ReplayStorage',
  types: { s3, ...others },
  tried: TRIED.recordings,
  inside: {
    ENDPOINT: { placeholder: 'https://10.0.0.9:9000', help: msg('Without a path') },
    CONTAINER_NAME: { placeholder: 'recordings' },
  },
  madeDefault: (name) => t('New terminals store in {{name}}', { name }),
  rowActions: [
    { name: 'move', title: msg('Move recordings'), has: ({ type }) => type !== 'null', run: moveRecordings },
  ],
  defaultHelp: msg('Terminals that register from now on store here; the others keep their own setting.'),
})

export const pages = { ReplayStorage: replayStoragePages }
