import { PERMISSION } from '@sallyport/contract/access.ts'
import { type CommandStorage, commandStorage } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { storagePages } from './storage-pages.tsx'

export const routes = resourcePlaces('CommandStorage', {
  menu: 'terminal',
  bits: PERMISSION.super,
  path: '/terminal/storages/command-storage',
  paths: { Update: '/terminal/storages/command-storage/:id/update' },
  titles: { Create: msg('Create command storage'), Update: msg('Update command storage') },
  active: '/terminal/terminal',
})

/** Where commands can go, which terminals then name (A2.42). */
export const commandStoragePages = storagePages<CommandStorage>(commandStorage, {
  tab: 'CommandStorage',
  types: { es: 'Elasticsearch' },
  tried: TRIED.commands,
  columns: [{ field: 'waiting', align: 'right', sorter: false, width: 150 }],
  inside: {
    HOSTS: { help: msg('Each with its port, such as https://10.0.0.9:9200. OpenSearch works as well.') },
    INDEX: { help: msg('Created if it does not exist.') },
    INDEX_BY_DATE: { help: msg('Each day has an index of its own, which the cluster can remove by its age.') },
  },
  madeDefault: (name) => t('New terminals store commands in {{name}}', { name }),
  defaultHelp: msg('Terminals that register from now on store here; the others keep their own setting.'),
})

export const pages = { CommandStorage: commandStoragePages }
