/** Kinds of objects that a page shows of a cluster, by their names in its API. */
import { msg, t } from '../../lib/i18n.ts'

/** In the order in which they are offered; titles are marked with `msg`. */
export const KIND_GROUPS = [
  {
    title: msg('Workloads'),
    kinds: {
      pods: msg('Pods@@cluster'),
      deployments: msg('Deployments'),
      statefulsets: msg('Stateful sets'),
      daemonsets: msg('Daemon sets'),
      replicasets: msg('Replica sets'),
      jobs: msg('Jobs@@cluster'),
      cronjobs: msg('Cron jobs'),
    },
  },
  { title: msg('Network@@cluster'), kinds: { services: msg('Services@@cluster'), ingresses: msg('Ingresses') } },
  { title: msg('Configuration@@cluster'), kinds: { configmaps: msg('Config maps'), secrets: msg('Secrets@@cluster') } },
  { title: msg('Cluster'), kinds: { events: msg('Events@@cluster'), nodes: msg('Nodes@@cluster') } },
] as const

type Union<T> = T extends object ? keyof T : never
export type KindName = Union<(typeof KIND_GROUPS)[number]['kinds']>

/** Marked with `msg`. */
export const KIND_TITLES = Object.assign({}, ...KIND_GROUPS.map(({ kinds }) => kinds)) as Record<KindName, string>

/** The only one here whose objects are in no namespace. */
export const isNamespaced = (kind: KindName): boolean => kind !== 'nodes'

/** As objects call themselves and each other, in every language. */
export const OBJECT_KINDS: Readonly<Record<KindName, string>> = {
  pods: 'Pod',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  replicasets: 'ReplicaSet',
  jobs: 'Job',
  cronjobs: 'CronJob',
  services: 'Service',
  ingresses: 'Ingress',
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  events: 'Event',
  nodes: 'Node',
}

/** Undefined for a kind that is not shown here. */
export const kindCalled = (word: unknown): KindName | undefined =>
  (Object.keys(OBJECT_KINDS) as KindName[]).find((kind) => OBJECT_KINDS[kind] === word)

/** The groups of kinds, titles translated. Nodes are only for people who may see them. */
export const kindsFor = (mayNodes: boolean) =>
  KIND_GROUPS.map(({ title, kinds }) => ({
    title: t(title),
    kinds: (Object.keys(kinds) as KindName[]).filter((one) => one !== 'nodes' || mayNodes),
  }))
