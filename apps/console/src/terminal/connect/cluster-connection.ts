import type { TreeItem } from '../assets/asset-tree.ts'
import { isConnectable, logLine, placeInCluster } from '../assets/cluster-tree.ts'
import type { Connection, ContainerPlace } from './connection.ts'

/** What it opens: a container's terminal or, of a system user, the shell of the cluster; undefined for all else. */
export function clusterConnection(item: TreeItem): Connection | undefined {
  if (!isConnectable(item)) return undefined
  const place = placeInCluster(item)
  return { ...shellAround(item), ...(item.meta.data.identity === 'container' ? { place } : {}) }
}

/** The shell of the cluster, which begins with a line. */
export const clusterShell = (item: TreeItem, firstLine: string): Connection => ({ ...shellAround(item), firstLine })

/** The objects of the cluster, from a namespace on where the item is in one. */
export function clusterResources(item: TreeItem): Connection {
  const { namespace } = placeInCluster(item)
  return { ...shellAround(item), view: 'workbench', ...(namespace ? { namespace } : {}) }
}

/** A shell in a container, or its log, beside the page that shows it. */
export function besideResources(shown: Connection, place: ContainerPlace, what: 'log' | 'shell'): Connection {
  const { view: _, namespace: __, ...shell } = shown
  return what === 'shell' ? { ...shell, place } : { ...shell, firstLine: logLine(place) }
}

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
