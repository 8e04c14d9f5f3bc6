import type { Call } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import { findUser } from '../../users/index.ts'
import type { GrantScope } from '../grants.ts'
import { mayConnect, usableSystemUsers } from '../may-connect.ts'

/** Where in a cluster somebody looks, and by whose right. */
export interface ClusterPlace {
  userId: string
  username: string
  application: string
  systemUser: string
  namespace: string
  pod: string
}

/**
 * An entry of the next level: a namespace, pod or container. `count`: number of its own entries,
 * where that is known.
 */
export interface ClusterEntry {
  name: string
  count?: number | undefined
}

/**
 * Reads from the cluster itself. Throws AppError with the reason, in the caller's language, when it
 * refuses or can't be reached.
 */
export type ReadCluster = (kernel: Kernel, call: Call, place: ClusterPlace) => Promise<ClusterEntry[]>

/** Provided by the gateway, which alone connects to clusters. */
export const clusterReader = new Provided<ReadCluster>('the reader of clusters', async () => [])

/** A name is as long as Kubernetes has it at most. */
const NAME_MAX = 253
const LEVELS = ['system_user_id', 'namespace', 'pod', 'container'] as const

/**
 * The level below a place in a cluster (docs/rules/perms.md#tree_k8s): the
 * granted system users by their priority, and what the cluster answers with the chosen one. As
 * existing clients know it, a cluster that can't be read is empty; `isExplained` throws the reason
 * instead. Throws 404 for what is not granted.
 */
export async function clusterLevel(
  kernel: Kernel,
  call: Call,
  scope: GrantScope,
  { treeId, parentInfo, isExplained }: { treeId: string; parentInfo: string; isExplained: boolean },
): Promise<object[]> {
  const path = new URLSearchParams(parentInfo)
  const [application, systemUser, namespace, pod] = ['app_id', 'system_user_id', 'namespace', 'pod'].map((name) =>
    (path.get(name) ?? '').slice(0, NAME_MAX),
  ) as [string, string, string, string]
  const item = itemsBelow(treeId, path)
  if (!systemUser) {
    const usable = await usableSystemUsers(kernel.db, scope, { family: 'application', id: application })
    if (!usable) throw notFound()
    return usable
      .filter(({ protocol }) => protocol === 'k8s')
      .sort((one, other) => one.priority - other.priority)
      .map(({ id, name, username }) => item('system_user_id', id, `${name}(${username || '*'})`))
  }
  if (!('userId' in scope.subject)) return []
  const { userId } = scope.subject
  const target = { family: 'application', id: application } as const
  const { allowed } = await mayConnect(kernel.db, {
    userId,
    target,
    systemUserId: systemUser,
    ...(scope.orgId ? { orgId: scope.orgId } : {}),
  })
  if (!allowed) throw notFound()
  const username = (await findUser(kernel.db, { id: userId }))?.username ?? ''
  const level = LEVELS[1 + [namespace, pod].filter(Boolean).length] as (typeof LEVELS)[number]
  try {
    const found = await clusterReader.value(kernel, call, { userId, username, application, systemUser, namespace, pod })
    return found.map(({ name, count }) => item(level, name, count === undefined ? name : `${name}(${count})`))
  } catch (error) {
    if (isExplained) throw error
    kernel.app.log.info({ err: error, application }, 'a cluster could not be read')
    return []
  }
}

const ROOT_PREFIX = 'app_id='

function itemsBelow(treeId: string, path: URLSearchParams) {
  return (level: (typeof LEVELS)[number], value: string, name: string) => {
    const below = new URLSearchParams(path)
    below.set(level, value)
    return {
      id: `${level === 'system_user_id' ? ROOT_PREFIX : ''}${treeId}&${level}=${value}`,
      name,
      title: name,
      pId: treeId,
      parentInfo: below.toString(),
      isParent: level !== 'container',
      open: false,
      iconSkin: level === 'system_user_id' ? 'user-tie' : 'cloud',
      nocheck: false,
      meta: {
        type: 'application',
        data: { category: 'cloud', type: 'k8s', identity: level === 'system_user_id' ? 'system_user' : level },
      },
    }
  }
}
