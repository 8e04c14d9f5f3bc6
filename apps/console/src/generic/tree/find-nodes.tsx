import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { FolderIcon, MonitorIcon } from 'lucide-react'
import { api, type ListPage } from '../../lib/api.ts'
import type { Finding, Findings } from '../find/FindBox.tsx'
import { NODES } from './node-paths.ts'

const MAX_NODES = 8
const MAX_ASSETS = 12

interface NodeRow {
  id: string
  name: string
  /** `/Default/Production/Web` */
  full_value: string
}

interface AssetRow {
  id: string
  hostname: string
  ip: string
}

export const nodeFinding = ({ id, name, full_value }: NodeRow): Finding => ({
  id,
  kind: 'node',
  icon: <FolderIcon />,
  name,
  // The path above it: its own name is before that.
  place: full_value.split('/').filter(Boolean).slice(0, -1).join(' / '),
})

/** Nodes by their names, and with `withAssets` machines by name or address. */
export async function findNodes(words: string, withAssets: boolean, signal: AbortSignal): Promise<Findings> {
  const read = <T,>(path: string, limit: number) =>
    api.get<ListPage<T>>(path, { query: { search: words, limit, offset: 0 }, signal, quiet: true })
  const [nodes, assets] = await Promise.all([
    read<NodeRow>(NODES, MAX_NODES),
    withAssets ? read<AssetRow>(asset.path, MAX_ASSETS) : { count: 0, results: [] },
  ])
  const found = [
    ...nodes.results.map(nodeFinding),
    ...assets.results.map(
      ({ id, hostname, ip }): Finding => ({ id, kind: 'asset', icon: <MonitorIcon />, name: hostname, place: ip }),
    ),
  ]
  return { found, more: nodes.count + assets.count - found.length }
}
