import { favoriteAsset } from '@sallyport/contract/resources/assets/favorite-asset.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { atOnce, without } from '../../lib/at-once.ts'
import { keys } from '../../lib/query.ts'

const PATH = favoriteAsset.path

/** Ids of the person's favorite assets. */
export function useFavorites(): ReadonlySet<string> {
  const list = useQuery({
    queryKey: keys.list(PATH, {}),
    queryFn: ({ signal }) => api.get<{ asset: string }[]>(PATH, { signal, quiet: true }),
  })
  return new Set((list.data ?? []).map(({ asset }) => asset))
}

/** Makes an asset a favorite, or no favorite any more. */
export async function setFavorite(asset: string, favorite: boolean): Promise<void> {
  if (favorite)
    await atOnce(
      PATH,
      (rows) => [...rows, { asset }],
      () => api.post(PATH, { asset }),
    )
  else {
    const gone = without<{ asset: string }>((row) => row.asset === asset)
    await atOnce(PATH, gone, () => api.delete(PATH, { query: { asset } }))
  }
}
