import type { Kernel } from '../../../kernel/kernel.ts'
import type { RequestTarget } from '../../kinds/requests/streams.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { mayAccount } from './access-review.ts'
import { clusterOf } from './cluster.ts'

/** The API of a cluster, for a client that sends it requests. */
export const kubernetesApiConnector: Connector<'requests'> = { protocol: 'k8s', kind: 'requests', open }

/** The cluster knows the account; what it may do there is for each request. */
async function open(
  kernel: Kernel,
  { target, host, port, signal }: ConnectOptions<'requests'>,
): Promise<RequestTarget> {
  const cluster = clusterOf(kernel, { target, host, port })
  try {
    await mayAccount(cluster, { verb: 'list', resource: 'namespaces' }, signal)
    return cluster
  } catch (error) {
    cluster.close()
    throw error
  }
}
