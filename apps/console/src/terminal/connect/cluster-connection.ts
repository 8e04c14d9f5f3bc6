import type { TreeItem } from '../assets/asset-tree.ts'
import { isConnectable, placeInCluster } from '../assets/cluster-tree.ts'
import type { Connection } from './connection.ts'

/** What it opens: a container's terminal or, of a system user, the shell of the cluster; undefined for all else. */
export function clusterConnection(item: TreeItem): Connection | undefined {
  if (!isConnectable(item)) return undefined
  const place = placeInCluster(item)
  return { ...shellAround(item), ...(item.meta.data.identity === 'container' ? { place } : {}) }
}

/** The shell of the cluster, which begins with a line. */
export const clusterShell = (item: TreeItem, firstLine: string): Connection => ({ ...shellAround(item), firstLine })

function shellAround({ parentInfo, meta }: TreeItem): Connection {
  const { cluster = '', account = '' } = meta.data
  const path = new URLSearchParams(parentInfo)
  return {
    targetId: path.get('app_id') ?? '',
    targetName: cluster,
    systemUserId: path.get('system_user_id') ?? '',
    systemUserName: account,
    protocol: 'k8s',
  }
}
