import type ssh2 from 'ssh2'
import type { AskedPlace } from '../../../../domains/perms/forwarding/index.ts'
import { inBackground } from '../../../../kernel/background.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { refuseChannel } from '../../../../kernel/ssh/ssh2/forwarded-channels.ts'
import type { Gateway } from '../../../gateway.ts'
import type { Person } from '../../../session/person.ts'
import { resolveDirect } from '../../menu/choose.ts'
import type { LoginName } from '../login-name.ts'
import type { ChannelWork } from '../program-channel.ts'
import { ForwardedConnections } from './forwarded-connections.ts'
import type { ForwardingLimits } from './limits.ts'
import { NotForwardedError } from './not-forwarded.ts'

export interface ForwardingOptions {
  kernel: Kernel
  gateway: Gateway
  person: Person
  limits: ForwardingLimits
  direct: LoginName['direct']
  /** Work that runs on the connection. */
  works: Set<ChannelWork>
}

type Accept = () => ssh2.ServerChannel | undefined

/**
 * Serves what a client forwards (RFC 4254 §7.2, OpenSSH PROTOCOL §2.4): from the machine in the user
 * name, as far as the permission goes.
 */
export function serveForwarding(
  client: ssh2.Connection,
  { kernel, gateway, person, limits, direct, works }: ForwardingOptions,
): void {
  let connections: ForwardedConnections | undefined
  let isClosed = false
  const begin = (to: NonNullable<LoginName['direct']>) => {
    const begun = new ForwardedConnections({
      kernel,
      gateway,
      person,
      limits,
      named: to,
      resolve: () => resolveDirect(kernel, person, to),
    })
    const work: ChannelWork = {
      over: begun.over,
      resize: () => {},
      signal: () => {},
      end: (words) => inBackground(begun.end(words)),
    }
    works.add(work)
    inBackground(begun.over.then(() => works.delete(work)))
    return begun
  }
  const forward = async (asked: AskedPlace, accept: Accept, reject: () => void) => {
    try {
      if (!direct)
        throw new NotForwardedError(
          'prohibited',
          translate(person.language, 'Name the machine in the user name: user@systemuser@asset'),
        )
      connections ??= begin(direct)
      const join = await connections.connect(asked)
      join(isClosed ? undefined : accept())
    } catch (error) {
      const refusal = error instanceof NotForwardedError ? error : undefined
      if (!refusal) kernel.app.log.error({ err: error }, 'forwarding')
      if (!isClosed) refuseChannel(reject, refusal?.failure ?? 'connect_failed', refusal?.message ?? '')
    }
  }
  client.on('tcpip', (accept, reject, { destIP, destPort }) =>
    inBackground(forward({ host: destIP, port: destPort }, accept, reject)),
  )
  // Its types know no such event.
  const onSocket = (accept: Accept, reject: () => void, { socketPath }: { socketPath: string }) =>
    inBackground(forward({ path: socketPath }, accept, reject))
  client.on('openssh.streamlocal' as 'tcpip', onSocket as never)
  client.once('close', () => {
    isClosed = true
    connections?.close()
  })
}
