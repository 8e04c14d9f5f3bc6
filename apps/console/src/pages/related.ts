/** Lists of related rows that the detail pages of several domains have beside their facts. */
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { session } from '@sallyport/contract/resources/terminal/session.ts'
import type { RelatedList } from '../generic/view/detail-view.ts'
import type { Query, Row } from '../lib/api.ts'
import { formatRelative } from '../lib/format.ts'
import { msg } from '../lib/i18n.ts'
import { addressOf } from '../navigation/routes.ts'

/** The machines that a filter of their list leaves. */
export const assetsWith = (query: Query): RelatedList => ({
  title: msg('Assets@@related'),
  path: asset.path,
  query: { ...query, fields_size: 'mini' },
  words: ({ hostname }) => String(hostname),
  note: ({ ip }) => String(ip),
  address: ({ id }) => addressOf('AssetDetail', { id }),
})

/** The permissions on machines that name somebody or something. */
export const permissionsWith = (query: Query): RelatedList => ({
  title: msg('Asset permissions'),
  path: assetPermission.path,
  query,
  words: ({ name }) => String(name),
  address: ({ id }) => addressOf('AssetPermissionDetail', { id }),
})

/** The last sessions of somebody, or on a machine. */
export const sessionsWith = (query: Query, words: (row: Row) => string): RelatedList => ({
  title: msg('Recent sessions'),
  path: session.path,
  query: { ...query, order: '-date_start' },
  words,
  note: ({ date_start }) => formatRelative(date_start),
  address: ({ id }) => addressOf('SessionDetail', { id }),
})
