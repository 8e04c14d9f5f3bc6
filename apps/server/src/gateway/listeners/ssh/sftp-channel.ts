import type ssh2 from 'ssh2'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MachineConnections } from '../../machines/machine-connections.ts'
import type { Person } from '../../session/person.ts'
import { askFor } from '../../session/questions-of-person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { resolveDirect } from '../menu/choose.ts'
import type { LoginName } from './login-name.ts'
import { type ChannelWork, closeChannel } from './program-channel.ts'
import { serveSftp } from './sftp-subsystem.ts'

const COULD_NOT_CONNECT = 255

/**
 * Files over SFTP: everything that was granted as a tree or, with a direct user name, that
 * machine's own paths, so that `scp` and `sftp` work as if they were connected to it.
 */
export function runSftp(
  kernel: Kernel,
  channel: ssh2.ServerChannel,
  person: Person,
  direct: LoginName['direct'],
  machines: MachineConnections,
): ChannelWork {
  const gone = new AbortController()
  const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
  const begin = async () => {
    const answer = direct ? await askFor(person, () => resolveDirect(kernel, person, direct)) : undefined
    if (answer && answer.found !== 'one') {
      channel.stderr.write(`${answer.notice}\n`)
      return closeChannel(channel, { exitCode: COULD_NOT_CONNECT }, isOver)
    }
    const root = answer ? { assetId: answer.choice.target.id, systemUserId: answer.choice.systemUserId } : 'granted'
    await serveSftp(kernel, { channel, person, root, machines, signal: gone.signal })
    isOver()
  }
  begin().catch((error) => {
    kernel.app.log.error({ err: error }, 'sftp')
    closeChannel(channel, { exitCode: COULD_NOT_CONNECT }, isOver)
  })
  return {
    over,
    resize: () => {},
    signal: () => {},
    end: ({ text, values }) => gone.abort(new SessionRefusal(text, values)),
  }
}
