import type { Kernel } from '../../../kernel/kernel.ts'
import type { TargetStream } from '../../kinds/terminal/streams.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { mayAccount } from './access-review.ts'
import { clusterFailure, clusterOf } from './cluster.ts'
import { openProgram, streamOf } from './container-program.ts'
import { openShell } from './container-shell.ts'
import { openPrompt } from './prompt/open-prompt.ts'

/** Programs in containers, for those who say in which; the cluster itself has a shell of our own. */
export const kubernetesTerminalConnector: Connector<'terminal'> = {
  protocol: 'k8s',
  kind: 'terminal',
  open,
}

async function open(
  kernel: Kernel,
  { target, host, port, end, signal }: ConnectOptions<'terminal'>,
): Promise<TargetStream> {
  const { container: place, terminal } = end.program
  if (!place) return await openPrompt(kernel, { target, host, port }, end.program, signal)
  const cluster = clusterOf(kernel, { target, host, port })
  try {
    const subresource = place.isAttach ? 'attach' : 'exec'
    const wanted = { verb: 'create', resource: 'pods', subresource, namespace: place.namespace }
    if (!(await mayAccount(cluster, wanted, signal)))
      throw new SessionRefusal('The account may not run programs in containers of this namespace')
    if (!place.isAttach && !place.argv.length) return await openShell(cluster, place, terminal?.size, signal)
    const socket = await openProgram(cluster, { ...place, hasTerminal: terminal !== undefined }, signal)
    return streamOf(socket, () => cluster.close())
  } catch (error) {
    cluster.close()
    throw clusterFailure(error, target, signal)
  }
}
