import type ssh2 from 'ssh2'
import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type SshConnection, SshError } from '../../kernel/ssh/connect.ts'
import { speakingGbk } from '../kinds/terminal/charset.ts'
import { clearKeysOf } from '../kinds/terminal/clear-keys.ts'
import type { Program, TargetStream } from '../kinds/terminal/streams.ts'
import { openChannelAt } from '../machines/machine-connections.ts'
import type { StreamEnd } from '../session/live-session.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { ConnectOptions, Connector } from './connector.ts'
import { atDevice, type Way } from './device/at-device.ts'
import { forwardingAt } from './forwarding-at.ts'
import { switched, switchingTo } from './switch-user.ts'

const CONNECT_TIMEOUT_MS = 15_000
/** The account at the other end would be another one than was granted. */
const NO_FORWARDING_AS = 'Connections are not forwarded from network devices, nor as a system user that is switched to'
/** Those that the protocol knows (RFC 4254 §6.10). */
const SIGNALS: ReadonlySet<string> = new Set('ABRT ALRM FPE HUP ILL INT KILL PIPE QUIT SEGV TERM USR1 USR2'.split(' '))

/**
 * A login shell or a command on the asset, through its domain's gateways when it has some; on a
 * terminal in the charset of its platform. The host key is checked against the pinned one before
 * any secret goes out. Throws SshError.
 */
async function open(kernel: Kernel, options: ConnectOptions<'terminal'>): Promise<TargetStream> {
  const { target, end, machines, signal } = options
  const { forwards } = end.program
  if (forwards) {
    if (target.switchFrom || target.device) throw new SessionRefusal(NO_FORWARDING_AS)
    const login = { ...options, target: withForwarding(target) }
    return openChannelAt(kernel, machines, login, async (connection) => forwardingAt(connection, forwards))
  }
  const way = wayOf(target, end.program)
  const opened = await openChannelAt(kernel, machines, options, (connection) =>
    openChannel(connection, way?.program ?? end.program, signal, target.gateways.length ? 1 : 0),
  )
  const machine = way ? await way.begin(opened, signal) : opened
  const spoken = target.charset === 'gbk' && end.program.terminal ? speakingGbk(machine) : machine
  return { ...spoken, clearKeys: clearKeysOf('ssh', target.platform) }
}

/** Only what is forwarded gets a certificate that permits it. */
function withForwarding(target: ConnectionTarget): ConnectionTarget {
  const { certificate } = target.credentials
  if (!certificate) return target
  return { ...target, credentials: { ...target.credentials, certificate: { ...certificate, forwards: true } } }
}

function wayOf(target: ConnectionTarget, program: Program): Way | undefined {
  if (target.device) return atDevice(target.device, target, program)
  if (!target.switchFrom) return undefined
  const switching = switchingTo(target, program)
  return {
    program: switching.program,
    begin: (machine, signal) => switched(machine, target, signal, switching.mark),
  }
}

export const sshConnector: Connector<'terminal'> = { protocol: 'ssh', kind: 'terminal', open }

/** A machine that lets people in and then does not answer must not be waited for without end. */
function openChannel(
  connection: SshConnection,
  program: Program,
  signal: AbortSignal,
  hop: number,
): Promise<TargetStream> {
  const { client } = connection
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(new SshError('timeout', hop, 'No shell in time'))),
      CONNECT_TIMEOUT_MS,
    )
    const onAbort = () => finish(() => reject(signal.reason))
    const onClose = () => finish(() => reject(new SshError('unreachable', hop, 'The connection was closed')))
    const finish = (then: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      client.off('close', onClose)
      then()
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    client.on('close', onClose)
    const { command, terminal, env = {} } = program
    const pty = terminal && {
      term: terminal.type,
      cols: terminal.size.cols,
      rows: terminal.size.rows,
      width: 0,
      height: 0,
      ...(terminal.modes ? { modes: terminal.modes } : {}),
    }
    const opened = (error: Error | undefined, channel: ssh2.ClientChannel) =>
      // At once: the exit code of a short command may be in the same packet.
      finish(() =>
        error
          ? reject(new SshError('unreachable', hop, error.message, { cause: error }))
          : resolve(streamOf(channel, connection, { hangsUp: terminal === undefined })),
      )
    // Written as they are where they are Buffers, which its types do not say.
    const asIs = { pty: pty as ssh2.PseudoTtyOptions | undefined, env: env as unknown as NodeJS.ProcessEnv }
    if (command === undefined) client.shell(asIs.pty ?? false, { env: asIs.env }, opened)
    else client.exec(command as unknown as string, { env: asIs.env, ...(asIs.pty ? { pty: asIs.pty } : {}) }, opened)
  })
}

/**
 * A channel as a session takes it. Its end comes when both of its streams have been read to their
 * ends. The machine hangs up a program on a terminal with it; one without a terminal would go on
 * with nobody there, so it gets a signal (`hangsUp`; RFC 4254 §6.9).
 */
export function streamOf(
  channel: ssh2.ClientChannel,
  connection: SshConnection,
  { hangsUp = false } = {},
): TargetStream {
  let end: StreamEnd = {}
  let isBroken = false
  // Before the channels of a connection that broke are closed.
  const onBroken = () => {
    isBroken = true
  }
  connection.client.once('close', onBroken)
  channel.on('exit', (code: number | null, signal?: string, coreDumped?: boolean, message?: string) => {
    if (code !== null) end = { exitCode: code }
    else if (signal) end = { signal, coreDumped: coreDumped === true, message: message ?? '' }
  })
  const hasEnded = () => end.exitCode !== undefined || end.signal !== undefined
  channel.on('error', () => {})
  const closed = Promise.all(
    [channel, channel.stderr].map((stream) => new Promise<void>((resolve) => stream.once('close', () => resolve()))),
  )
  inBackground(
    closed.then(() => {
      connection.client.off('close', onBroken)
      connection.close()
    }),
  )
  return {
    start(onOutput, onEnd) {
      channel.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
      channel.stderr.on('data', (bytes: Buffer) => onOutput(bytes, 'stderr'))
      inBackground(closed.then(() => onEnd(isBroken && !hasEnded() ? { isLost: true } : end)))
    },
    write: (bytes) => void channel.write(bytes),
    pending: () => channel.writableLength,
    // An empty piece is taken in turn, after all before it.
    onceTaken: (then) => void channel.write(Buffer.alloc(0), () => then()),
    endInput: () => void channel.end(),
    signal: (name) => void (SIGNALS.has(name) && channel.signal(name)),
    resize: ({ cols, rows }) => channel.setWindow(rows, cols, 0, 0),
    pause() {
      channel.pause()
      channel.stderr.pause()
    },
    resume() {
      channel.resume()
      channel.stderr.resume()
    },
    close() {
      if (hangsUp && !hasEnded()) channel.signal('HUP')
      channel.end()
      // The connection may go on for others.
      channel.close()
      connection.close()
    },
  }
}
