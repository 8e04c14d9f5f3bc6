/** The offers of an empty workspace: the last targets of the person, and their favorites. */
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { api } from '../../lib/api.ts'
import { readApplications } from '../assets/application-tree.ts'
import type { TreeItem } from '../assets/asset-tree.ts'
import type { Target } from '../assets/target.ts'
import { targetOf } from '../assets/target.ts'
import { searchAssets } from '../assets/use-asset-tree.ts'
import { DESKTOP_PROTOCOLS, TEXT_PROTOCOLS } from '../text-protocols.ts'

const FAVORITES_MAX = 12
const FOUND_MAX = 20

/** A target of an earlier session, and as whom it was. */
export interface RecentTarget {
  target_family: TargetFamily
  target_id: string
  /** Name(address) */
  asset: string
  system_user_id: string
  /** Name(username) */
  system_user: string
  protocol: string
  date_start: string
}

export interface FavoriteAsset {
  id: string
  hostname: string
  ip: string
  is_active: boolean
}

/** Where the person was last, the latest first; of that, what this page can show. @throws ApiError */
export async function readRecent(): Promise<RecentTarget[]> {
  const shown = new Set([...TEXT_PROTOCOLS, ...DESKTOP_PROTOCOLS])
  const all = await api.get<RecentTarget[]>('/api/v1/terminal/recent-targets/', { quiet: true })
  return all.filter(({ protocol }) => shown.has(protocol))
}

/** Favorites that are granted. @throws ApiError */
export async function readFavoriteAssets(): Promise<FavoriteAsset[]> {
  const path = '/api/v1/perms/users/nodes/favorite/assets/'
  const { results } = await api.get<{ results: FavoriteAsset[] }>(path, {
    query: { limit: FAVORITES_MAX, offset: 0 },
    quiet: true,
  })
  return results
}

export interface FoundTarget {
  target: Target
  /** Address of an asset, kind of an application. */
  detail: string
}

/**
 * A search of everything granted, by name or address; names that begin with the text come first.
 * Applications are read once.
 */
export function targetSearch(): (text: string) => Promise<FoundTarget[]> {
  let applications: Promise<TreeItem[]> | undefined
  const named = async () => {
    const { children } = await readApplications(new Set())
    return [...children.values()].flat().filter(({ meta }) => meta.type === 'application')
  }
  return async (text) => {
    const wanted = text.trim().toLowerCase()
    applications ??= named().catch(() => {
      applications = undefined
      return []
    })
    const [assets, others] = await Promise.all([searchAssets(text.trim()), applications])
    const found = [...assets, ...others.filter(({ name }) => name.toLowerCase().includes(wanted))]
    const rank = ({ name }: TreeItem) => (name.toLowerCase().startsWith(wanted) ? 0 : 1)
    return found
      .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
      .slice(0, FOUND_MAX)
      .map((item) => ({ target: targetOf(item), detail: item.meta.data.ip ?? item.meta.data.type ?? '' }))
  }
}
