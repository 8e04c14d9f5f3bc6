import { favoriteAsset } from '@sallyport/contract/resources/assets/favorite-asset.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { assetsFavoriteAsset } from '../tables.ts'

type Deleting = DeleteContext<typeof assetsFavoriteAsset>

export default function mountFavoriteAsset(kernel: Kernel): void {
  mountResource(kernel, favoriteAsset, {
    table: assetsFavoriteAsset,
    owner: assetsFavoriteAsset.user_id,
    rules: { beforeDelete: [onlyOne] },
  })
}

/**
 * Removing is `DELETE …?asset=`, accepted only if exactly one row matches (contract/assets.yaml
 * favorite_asset rules).
 */
function onlyOne({ rows, bulk }: Deleting): void {
  if (bulk && rows.length !== 1)
    throw refused('bad_request', 'Say which rows to delete: the selection matches everything.')
}
