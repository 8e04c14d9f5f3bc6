import { api } from '../../lib/api.ts'

const PATH = '/api/v1/assets/favorite-assets/'

/** Ids of the person's favorite assets. */
export async function readFavorites(): Promise<Set<string>> {
  const rows = await api.get<{ asset: string }[]>(PATH, { quiet: true })
  return new Set(rows.map(({ asset }) => asset))
}

/** Makes an asset a favorite. @throws ApiError, already shown */
export function addFavorite(asset: string): Promise<unknown> {
  return api.post(PATH, { asset })
}

/** No favorite any more. @throws ApiError, already shown */
export function removeFavorite(asset: string): Promise<unknown> {
  return api.delete(PATH, { query: { asset } })
}
