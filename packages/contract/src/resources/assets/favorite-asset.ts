import { type Draft, defineResource, type Row } from '../../define.ts'

export const favoriteAsset = defineResource({
  name: 'favorite_asset',
  path: '/api/v1/assets/favorite-assets/',
  label: 'Favorite asset',
  scope: 'self',
  operations: [
    'list',
    'create',
    'retrieve',
    'update',
    'partial_update',
    'destroy',
    'bulk_create',
    'bulk_update',
    'bulk_destroy',
  ],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{asset}',
  fields: {
    asset: { type: 'ref', label: 'Asset', required: true, to: 'asset' },
  },
  search: [],
  filters: ['asset'],
  ordering: '*',
  defaultOrder: ['id'],
})
export type FavoriteAsset = Row<typeof favoriteAsset>
export type FavoriteAssetDraft = Draft<typeof favoriteAsset>
