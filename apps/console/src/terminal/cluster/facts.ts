/** Facts about an object, in the order in which one asks for them; as `kubectl describe` has it. */
import { msg, t } from '../../lib/i18n.ts'
import type { KindName } from './kinds.ts'
import { at, type ClusterObject, listAt, pairsAt, textAt, wordsOf } from './read-object.ts'

/** `label` is marked with `msg`; the source is a path, or makes the value. */
type Known = readonly [label: string, source: string | ((object: ClusterObject) => unknown)]

const images: Known = [
  msg('Images'),
  (object) => listAt(object, 'spec.template.spec.containers').map((one) => textAt(one, 'image')),
]
const selector: Known = [msg('Selector'), 'spec.selector.matchLabels']
const replicas = (ready: string, wanted: string): Known => [
  msg('Replicas'),
  (object) =>
    t('{{ready}} of {{wanted}} ready', { ready: textAt(object, ready) || 0, wanted: textAt(object, wanted) || 0 }),
]
const ofController = replicas('status.readyReplicas', 'spec.replicas')

const FACTS: Readonly<Record<KindName, readonly Known[]>> = {
  pods: [
    [msg('Status'), 'status.phase'],
    [msg('Reason'), 'status.reason'],
    [msg('Message'), 'status.message'],
    [msg('Node@@cluster'), 'spec.nodeName'],
    [msg('Pod address'), (object) => listAt(object, 'status.podIPs').map((one) => textAt(one, 'ip'))],
    [msg('Started'), 'status.startTime'],
    [msg('Service account'), 'spec.serviceAccountName'],
    [msg('Quality of service'), 'status.qosClass'],
    [msg('Restart policy'), 'spec.restartPolicy'],
  ],
  deployments: [
    ofController,
    [msg('Up to date@@cluster'), 'status.updatedReplicas'],
    [msg('Available'), 'status.availableReplicas'],
    [msg('Strategy'), 'spec.strategy.type'],
    ...[images, selector],
  ],
  statefulsets: [ofController, [msg('Service@@cluster'), 'spec.serviceName'], images, selector],
  daemonsets: [
    replicas('status.numberReady', 'status.desiredNumberScheduled'),
    [msg('Node selector'), 'spec.template.spec.nodeSelector'],
    ...[images, selector],
  ],
  replicasets: [ofController, images, selector],
  jobs: [
    [
      msg('Completions'),
      (object) =>
        t('{{count}} of {{all}}', {
          count: textAt(object, 'status.succeeded') || 0,
          all: textAt(object, 'spec.completions') || 1,
        }),
    ],
    [msg('Running@@cluster'), 'status.active'],
    [msg('Failed'), 'status.failed'],
    [msg('Started'), 'status.startTime'],
    [msg('Finished@@cluster'), 'status.completionTime'],
    images,
  ],
  cronjobs: [
    [msg('Schedule'), 'spec.schedule'],
    [msg('Time zone'), 'spec.timeZone'],
    [msg('Suspended'), 'spec.suspend'],
    [msg('Last run'), 'status.lastScheduleTime'],
    [msg('Last success'), 'status.lastSuccessfulTime'],
    [msg('Running@@cluster'), (object) => listAt(object, 'status.active').map((one) => textAt(one, 'name'))],
    [
      msg('Images'),
      (object) => listAt(object, 'spec.jobTemplate.spec.template.spec.containers').map((one) => textAt(one, 'image')),
    ],
  ],
  services: [
    [msg('Type'), 'spec.type'],
    [msg('Cluster address'), (object) => at(object, 'spec.clusterIPs') ?? at(object, 'spec.clusterIP')],
    [
      msg('Outside addresses'),
      (object) => [
        ...listAt(object, 'spec.externalIPs'),
        ...listAt(object, 'status.loadBalancer.ingress').map((one) => textAt(one, 'hostname') || textAt(one, 'ip')),
        textAt(object, 'spec.externalName'),
      ],
    ],
    [msg('Ports'), (object) => listAt(object, 'spec.ports').map(portOf)],
    [msg('Selector'), 'spec.selector'],
  ],
  ingresses: [
    [msg('Class@@cluster'), 'spec.ingressClassName'],
    [
      msg('Outside addresses'),
      (object) =>
        listAt(object, 'status.loadBalancer.ingress').map((one) => textAt(one, 'hostname') || textAt(one, 'ip')),
    ],
    [msg('Rules'), (object) => listAt(object, 'spec.rules').flatMap(pathsOf)],
    [msg('Encrypted hosts'), (object) => listAt(object, 'spec.tls').flatMap((one) => listAt(one, 'hosts'))],
  ],
  configmaps: [],
  secrets: [[msg('Type'), 'type']],
  events: [
    [msg('Type'), 'type'],
    [msg('Reason'), 'reason'],
    [msg('Object'), (object) => `${textAt(object, 'involvedObject.kind')}/${textAt(object, 'involvedObject.name')}`],
    [msg('Message'), 'message'],
    [msg('How often'), 'count'],
    [msg('First seen'), 'firstTimestamp'],
    [msg('Last seen'), (object) => at(object, 'lastTimestamp') ?? at(object, 'eventTime')],
    [msg('From@@events'), 'source.component'],
  ],
  nodes: [
    [
      msg('Addresses@@cluster'),
      (object) => listAt(object, 'status.addresses').map((one) => `${textAt(one, 'type')}: ${textAt(one, 'address')}`),
    ],
    [msg('Kubelet'), 'status.nodeInfo.kubeletVersion'],
    [msg('Operating system'), 'status.nodeInfo.osImage'],
    [msg('Architecture'), 'status.nodeInfo.architecture'],
    [msg('Container runtime'), 'status.nodeInfo.containerRuntimeVersion'],
    [msg('Capacity'), 'status.capacity'],
    [msg('Closed to new pods'), 'spec.unschedulable'],
    [
      msg('Taints'),
      (object) =>
        listAt(object, 'spec.taints').map(
          (one) => `${[textAt(one, 'key'), textAt(one, 'value')].filter(Boolean).join('=')}:${textAt(one, 'effect')}`,
        ),
    ],
  ],
}

const OF_ALL: readonly Known[] = [
  [msg('Created@@cluster'), 'metadata.creationTimestamp'],
  [msg('Labels@@cluster'), 'metadata.labels'],
  [
    msg('Annotations'),
    (object) =>
      // The last applied configuration is all of the object once more.
      pairsAt(object, 'metadata.annotations').flatMap(([key, value]) =>
        key === 'kubectl.kubernetes.io/last-applied-configuration' ? [] : [`${key}=${value}`],
      ),
  ],
]

export interface Fact {
  label: string
  values: readonly string[]
}

/** Its known facts; unknown ones are left out. */
export const factsOf = (kind: KindName, object: ClusterObject): readonly Fact[] =>
  [...FACTS[kind], ...OF_ALL]
    .map(([label, source]) => ({
      label: t(label),
      values: wordsOf(typeof source === 'string' ? at(object, source) : source(object)),
    }))
    .filter(({ values }) => values.length > 0)

export interface FactTable {
  title: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/** What comes in rows. */
export function tablesOf(object: ClusterObject): readonly FactTable[] {
  const conditions = listAt(object, 'status.conditions').map((one) => [
    textAt(one, 'type'),
    textAt(one, 'status'),
    [textAt(one, 'reason'), textAt(one, 'message')].filter(Boolean).join(': '),
  ])
  const data = [...pairsAt(object, 'data'), ...pairsAt(object, 'binaryData')]
  return [
    { title: t('Conditions@@cluster'), columns: [t('Type'), t('Status'), t('Message')], rows: conditions },
    { title: t('Content'), columns: [t('Key@@cluster'), t('Value')], rows: data },
  ].filter(({ rows }) => rows.length > 0)
}

/** Labels of the pods that it looks after, as a selector; undefined where there are none, or where they do not say it all. */
export function podsOf(kind: KindName, object: ClusterObject): string | undefined {
  if (listAt(object, 'spec.selector.matchExpressions').length) return undefined
  const labels = pairsAt(object, kind === 'services' ? 'spec.selector' : 'spec.selector.matchLabels')
  return labels.length ? labels.map(([key, value]) => `${key}=${value}`).join(',') : undefined
}

function portOf(port: unknown): string {
  const [name, number, target, node] = ['name', 'port', 'targetPort', 'nodePort'].map((field) => textAt(port, field))
  const to = target && target !== number ? ` → ${target}` : ''
  return `${name ? `${name} ` : ''}${number}${node ? `:${node}` : ''}/${textAt(port, 'protocol') || 'TCP'}${to}`
}

const pathsOf = (rule: unknown): string[] =>
  listAt(rule, 'http.paths').map((one) => {
    const service = textAt(one, 'backend.service.name')
    const port = textAt(one, 'backend.service.port.number') || textAt(one, 'backend.service.port.name')
    return `${textAt(rule, 'host') || '*'}${textAt(one, 'path')} → ${service}${port && `:${port}`}`
  })
