import { favoriteAsset } from '@sallyport/contract/resources/assets/favorite-asset.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DeleteContext, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { seesAsset } from './seen-by.ts'
import { assetsFavoriteAsset } from './tables.ts'

type Writing = WriteContext<typeof favoriteAsset, typeof assetsFavoriteAsset>
type Deleting = DeleteContext<typeof assetsFavoriteAsset>

export default function mountFavoriteAsset(kernel: Kernel): void {
  mountResource(kernel, favoriteAsset, {
    table: assetsFavoriteAsset,
    owner: assetsFavoriteAsset.user_id,
    checksItself: ['asset'],
    rules: { beforeWrite: [onlySeen], beforeDelete: [onlyOne] },
  })
}

/** Somebody else's asset is refused as one that does not exist. */
async function onlySeen({ db, call, draft }: Writing): Promise<void> {
  if (draft.asset === undefined || (await seesAsset(db, call, draft.asset))) return
  throw invalid({
    asset: translate(call.language, 'Invalid pk "{{id}}" - object does not exist.', { id: draft.asset }),
  })
}

/**
 * Removing is `DELETE …?asset=`, accepted only if exactly one row matches
 * (docs/rules/assets.md#favorite_asset).
 */
function onlyOne({ rows, bulk }: Deleting): void {
  if (bulk && rows.length !== 1)
    throw refused('bad_request', 'Say which rows to delete: the selection matches everything.')
}
