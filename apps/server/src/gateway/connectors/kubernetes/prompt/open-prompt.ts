import type { Kernel } from '../../../../kernel/kernel.ts'
import { type Program, sizeOf, type TargetStream } from '../../../kinds/terminal/streams.ts'
import type { Dialect } from '../../../repl/dialect.ts'
import { Link } from '../../../repl/link.ts'
import { Repl } from '../../../repl/repl.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import type { ServerAddress } from '../../server-connection.ts'
import { mayAccount } from '../access-review.ts'
import { clusterOf } from '../cluster.ts'
import { ClusterLine, clusterWire } from './cluster-line.ts'
import { kubernetesDialect } from './kubernetes-dialect.ts'
import { Resources } from './resources.ts'

const FIRST_NAMESPACE = 'default'

/**
 * The shell of a cluster (docs/rules/gateway.md#kubernetes): a prompt of our own, which
 * speaks with its API as the account. Throws SessionRefusal, SshError and the signal's reason.
 */
export async function openPrompt(
  kernel: Kernel,
  address: Pick<ServerAddress, 'target' | 'host' | 'port'>,
  program: Program,
  signal: AbortSignal,
): Promise<TargetStream> {
  if (!program.terminal)
    throw new SessionRefusal('A cluster is opened in a terminal: connect without a command, or with ssh -t')
  const first = clusterOf(kernel, address)
  let resources: Resources
  try {
    await mayAccount(first, { verb: 'list', resource: 'namespaces' }, signal)
    resources = await Resources.of(first, signal)
  } catch (error) {
    first.close()
    throw error
  }
  const linkTo = (namespace: string, cluster = clusterOf(kernel, address)) => {
    const line = new ClusterLine(cluster, resources, namespace)
    return new Link({
      target: line,
      wire: clusterWire(line, namespace),
      answers: (host) => line.answersTo(host),
      encode: (text) => Buffer.from(text),
    })
  }
  return new Repl({
    dialect: kubernetesDialect(address.target.name) as Dialect,
    link: linkTo(FIRST_NAMESPACE, first),
    connect: async (namespace) => linkTo(namespace || FIRST_NAMESPACE),
    size: sizeOf(program),
  })
}
