/** What is inside a cluster, read level by level as it is opened (contract web-terminal, my_application_tree). */
import { api } from '../../lib/api.ts'
import type { TreeItem } from './asset-tree.ts'

const PATH = '/api/v1/perms/users/applications/tree/'

/** Whether it is a cluster, or stands in one. */
export const inCluster = ({ meta }: TreeItem): boolean => meta.data.identity !== undefined

/** The level below; rejected with the cluster's reason when it can't be read. */
export async function readClusterLevel({ id, name, parentInfo = '', meta }: TreeItem): Promise<TreeItem[]> {
  const query = { tree_id: id, parentInfo, explain: 1 }
  const items = await api.get<TreeItem[]>(PATH, { query, quiet: true })
  const cluster = meta.data.cluster ?? name
  return items.map((item) => {
    const account = meta.data.account ?? item.name
    return { ...item, title: '', meta: { ...item.meta, data: { ...item.meta.data, cluster, account } } }
  })
}

/** Whether a terminal can be opened there: in a container, or the shell of the cluster as a system user. */
export const isConnectable = ({ meta }: TreeItem): boolean =>
  meta.data.identity === 'container' || meta.data.identity === 'system_user'
