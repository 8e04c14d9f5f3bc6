import type { ClusterKind } from '@sallyport/contract/socket/cluster.ts'

const CORE = '/api/v1'
const APPS = '/apis/apps/v1'
const BATCH = '/apis/batch/v1'
const NETWORKING = '/apis/networking.k8s.io/v1'

/**
 * A kind of objects: its name in objects, its place in the API, and whether each is in a namespace.
 */
export interface ObjectKind {
  kind: string
  root: string
  isNamespaced: boolean
}

const within = (kind: string, root: string): ObjectKind => ({ kind, root, isNamespaced: true })

/** The kinds that a page shows, by their names in the API; stable in every version that is still looked after. */
export const KINDS = {
  pods: within('Pod', CORE),
  deployments: within('Deployment', APPS),
  statefulsets: within('StatefulSet', APPS),
  daemonsets: within('DaemonSet', APPS),
  replicasets: within('ReplicaSet', APPS),
  jobs: within('Job', BATCH),
  cronjobs: within('CronJob', BATCH),
  services: within('Service', CORE),
  ingresses: within('Ingress', NETWORKING),
  configmaps: within('ConfigMap', CORE),
  secrets: within('Secret', CORE),
  events: within('Event', CORE),
  nodes: { kind: 'Node', root: CORE, isNamespaced: false },
} as const satisfies Record<ClusterKind, ObjectKind>

/** Path of the objects of a kind; in all namespaces where none is named. */
export function pathOf(name: ClusterKind, namespace: string): string {
  const { root, isNamespaced } = KINDS[name]
  return `${root}${isNamespaced && namespace ? `/namespaces/${namespace}` : ''}/${name}`
}
