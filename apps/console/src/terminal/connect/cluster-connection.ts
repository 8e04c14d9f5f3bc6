import type { TreeItem } from '../assets/asset-tree.ts'
import { isConnectable } from '../assets/cluster-tree.ts'
import type { Connection } from './connection.ts'

/** What it opens: a container's terminal or, of a system user, the shell of the cluster; undefined for all else. */
export function clusterConnection(item: TreeItem): Connection | undefined {
  if (!isConnectable(item)) return undefined
  const { parentInfo, meta } = item
  const { cluster = '', account = '' } = meta.data
  const path = new URLSearchParams(parentInfo)
  const of = (name: string) => path.get(name) ?? ''
  const place = { namespace: of('namespace'), pod: of('pod'), container: of('container') }
  return {
    targetId: of('app_id'),
    targetName: cluster,
    systemUserId: of('system_user_id'),
    systemUserName: account,
    protocol: 'k8s',
    ...(meta.data.identity === 'container' ? { place } : {}),
  }
}
