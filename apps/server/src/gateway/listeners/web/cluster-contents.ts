import { isClusterName } from '@sallyport/contract/socket/cluster-names.ts'
import { type ClusterEntry, type ClusterPlace, clusterReader } from '../../../domains/perms/index.ts'
import type { Call } from '../../../kernel/access/call.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { connectionRefusal, placeOf } from '../../connectors/connection-refusal.ts'
import { portOf } from '../../connectors/index.ts'
import { type Cluster, clusterFailure, clusterOf } from '../../connectors/kubernetes/cluster.ts'
import { loadTarget } from '../../session/load-target.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectionTarget } from '../../targets/connection-target.ts'

/** Limit of one call, in milliseconds (docs/rules/web-terminal.md#my_application_tree). */
const CALL_MS = 3_000
/** Objects of one call: parsing more at once would keep others waiting. */
const PAGE = 500
/** And calls: what is beyond is not shown. */
const MAX_PAGES = 40
/** Levels that are read at the same time for one person. */
const AT_ONCE = 4
/** Without what is not counted or shown (https://kubernetes.io/docs/reference/using-api/api-concepts). */
const NAMES_ALONE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

interface Listed {
  metadata?: { name?: string; namespace?: string }
  spec?: { containers?: { name?: string }[]; initContainers?: { name?: string; restartPolicy?: string }[] }
}

/** Lets trees show what is in clusters; to be called once. */
export function showClusterContents(): void {
  const reading = new Map<string, number>()
  clusterReader.provide(async (kernel, call, place) => {
    const busy = reading.get(place.userId) ?? 0
    if (busy >= AT_ONCE)
      throw refused('too_many', translate(call.language, 'Other levels of a cluster are still being read: try again'))
    reading.set(place.userId, busy + 1)
    try {
      return await contentsOf(kernel, call, place)
    } finally {
      const left = (reading.get(place.userId) ?? 1) - 1
      if (left) reading.set(place.userId, left)
      else reading.delete(place.userId)
    }
  })
}

/** Throws AppError in the caller's language. */
async function contentsOf(kernel: Kernel, { language }: Call, place: ClusterPlace): Promise<ClusterEntry[]> {
  const { application, systemUser: systemUserId, userId, username } = place
  let target: ConnectionTarget | undefined
  let cluster: Cluster | undefined
  try {
    const open = kernel.secrets.open('session', `application ${application} for ${userId}`)
    const wanted = { family: 'application', id: application } as const
    target = await loadTarget(kernel, wanted, { systemUserId, userId, username }, open)
    cluster = clusterOf(kernel, { target, host: target.address, port: portOf(target) })
    return await levelOf(cluster, place)
  } catch (error) {
    const failure = target ? clusterFailure(error, target) : error
    const { message, values } = connectionRefusal(
      failure,
      target ? { gateways: target.gateways, place: placeOf(target.address, portOf(target)) } : { gateways: [] },
      { language },
    )
    throw refused('cluster_refused', translate(language, message, { ...values }))
  } finally {
    cluster?.close()
  }
}

async function levelOf(cluster: Cluster, { namespace, pod }: ClusterPlace): Promise<ClusterEntry[]> {
  if (!namespace) return namespacesOf(cluster)
  if (![namespace, pod].filter(Boolean).every(isClusterName)) return []
  const pods = `/api/v1/namespaces/${namespace}/pods`
  if (!pod)
    return (await all(cluster, pods))
      .map((one) => ({ name: nameOf(one), count: containersOf(one).length }))
      .sort(byName)
  const asked = { signal: AbortSignal.timeout(CALL_MS) }
  return containersOf((await cluster.ask(`${pods}/${pod}`, asked)) as Listed).map((name) => ({ name }))
}

/** With the number of their pods, where the account may see all of them. */
async function namespacesOf(cluster: Cluster): Promise<ClusterEntry[]> {
  const found = await all(cluster, '/api/v1/namespaces', NAMES_ALONE)
  const amounts = new Map<string, number>()
  let isCounted = true
  try {
    for (const { metadata } of await all(cluster, '/api/v1/pods', NAMES_ALONE))
      amounts.set(metadata?.namespace ?? '', (amounts.get(metadata?.namespace ?? '') ?? 0) + 1)
  } catch (error) {
    if (!(error instanceof SessionRefusal)) throw error
    isCounted = false
  }
  return found
    .map(nameOf)
    .map((name) => ({ name, count: isCounted ? (amounts.get(name) ?? 0) : undefined }))
    .sort(byName)
}

/** All objects of a list, page by page. */
async function all(cluster: Cluster, path: string, accept?: string): Promise<Listed[]> {
  const found: Listed[] = []
  let next = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(next ? { continue: next } : {}) })
    const asked = { signal: AbortSignal.timeout(CALL_MS), ...(accept ? { accept } : {}) }
    const answer = (await cluster.ask(`${path}?${query}`, asked)) as {
      items?: Listed[]
      metadata?: { continue?: string }
    }
    found.push(...(Array.isArray(answer?.items) ? answer.items : []))
    next = answer?.metadata?.continue ?? ''
    if (!next) break
  }
  return found
}

const nameOf = ({ metadata }: Listed): string => String(metadata?.name ?? '')
const byName = (one: ClusterEntry, other: ClusterEntry) => one.name.localeCompare(other.name)

/** Those that run as long as the pod does. */
const containersOf = ({ spec }: Listed): string[] =>
  [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ].map(({ name }) => String(name ?? ''))
