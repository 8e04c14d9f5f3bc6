/** The objects of a cluster, read level by level as it is opened (contract web-terminal, my_application_tree). */
import { api } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import type { TreeItem } from './asset-tree.ts'

const PATH = '/api/v1/perms/users/applications/tree/'

/** Whether it is a cluster or one of its objects. */
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

/** Whether the page of a cluster's objects can be opened there. */
export const hasResources = ({ meta }: TreeItem): boolean =>
  ['k8s', 'system_user', 'namespace'].includes(meta.data.identity ?? '')

/** Its name on each level, or of the level above; empty below. */
export function placeInCluster({ parentInfo }: TreeItem) {
  const path = new URLSearchParams(parentInfo)
  const of = (name: string) => path.get(name) ?? ''
  return { namespace: of('namespace'), pod: of('pod'), container: of('container') }
}

/** A name of Kubernetes (RFC 1123), of which nothing else can be typed; empty where a level is not reached. */
const NAME = /^(?:[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)?$/

/** Follows the log of a container, in the shell of its cluster. */
export const logLine = ({ namespace, pod, container }: ReturnType<typeof placeInCluster>): string =>
  `logs -f --tail 500 ${pod} -c ${container} -n ${namespace}`

/** What can be looked at in a cluster: by its name, marked with `msg`, the line that shows it. */
export function clusterViews(item: TreeItem): { title: string; line: string }[] {
  const { namespace, pod, container } = placeInCluster(item)
  if (![namespace, pod, container].every((name) => NAME.test(name))) return []
  const inNamespace = `-n ${namespace}`
  switch (item.meta.data.identity) {
    case 'namespace':
      return [
        { title: msg('Pods'), line: `get pods -o wide ${inNamespace}` },
        { title: msg('Workloads'), line: `get deployments,statefulsets,daemonsets ${inNamespace}` },
        { title: msg('Events@@cluster'), line: `events ${inNamespace}` },
      ]
    case 'pod':
      return [
        { title: msg('Describe'), line: `describe pod ${pod} ${inNamespace}` },
        { title: msg('Events@@cluster'), line: `events --for pod/${pod} ${inNamespace}` },
        { title: msg('As YAML'), line: `get pod ${pod} -o yaml ${inNamespace}` },
      ]
    case 'container':
      return [{ title: msg('Follow the log'), line: logLine({ namespace, pod, container }) }]
    default:
      return []
  }
}
