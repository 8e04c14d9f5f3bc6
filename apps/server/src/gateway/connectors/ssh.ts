import type ssh2 from 'ssh2'
import { type Target, throughGateways } from '../../domains/assets/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type SshConnection, SshError } from '../../kernel/ssh/connect.ts'
import { speakingGbk } from '../charset.ts'
import type { StreamEnd, TargetStream, TerminalSize } from '../types.ts'

const CONNECT_TIMEOUT_MS = 15_000
/** contract/gateway.yaml protocols.ssh.keepalive */
const KEEPALIVE_MS = 60_000
export const TERM = 'xterm-256color'

export interface SshShellOptions {
  target: Target
  host: string
  port: number
  size: TerminalSize
  /** Answers what the machine asks beyond the stored password. */
  answer: (prompt: string, echo: boolean) => Promise<string | undefined>
  /** Gives up; its reason is thrown. */
  signal: AbortSignal
}

/**
 * A login shell on the asset, through its domain's gateways when it has some, in the charset of its platform. The host key is checked against the pinned one
 * before any secret goes out. Throws SshError.
 */
export async function openSshShell(kernel: Kernel, options: SshShellOptions): Promise<TargetStream> {
  const { target, host, port, answer, signal } = options
  const { credentials, gateways, asset, platform } = target
  const connection = await throughGateways(
    kernel,
    gateways,
    { ...credentials, host, port, scope: { orgId: asset.org_id, asset: asset.id }, answer },
    { timeoutMs: CONNECT_TIMEOUT_MS, keepaliveMs: KEEPALIVE_MS, signal },
  )
  try {
    const machine = streamOf(await openChannel(connection, options, gateways.length ? 1 : 0), connection)
    return platform.charset === 'gbk' ? speakingGbk(machine) : machine
  } catch (error) {
    connection.close()
    throw error
  }
}

/** A machine that lets people in and then does not answer must not be waited for without end. */
function openChannel({ client }: SshConnection, { size, signal }: SshShellOptions, hop: number): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new SshError('timeout', hop, 'No shell in time'))), CONNECT_TIMEOUT_MS)
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
    client.shell({ term: TERM, cols: size.cols, rows: size.rows, width: 0, height: 0 }, (error, channel) =>
      finish(() => (error ? reject(new SshError('unreachable', hop, error.message, { cause: error })) : resolve(channel))),
    )
  })
}

/** A shell channel as a session takes it. */
export function streamOf(channel: ssh2.ClientChannel, connection: SshConnection): TargetStream {
  let end: StreamEnd = {}
  channel.on('exit', (code: number | null, signal?: string) => {
    end = { ...(code === null ? {} : { exitCode: code }), ...(signal ? { signal } : {}) }
  })
  channel.on('error', () => {})
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()))
  void closed.then(() => connection.close())
  return {
    start(onOutput, onEnd) {
      channel.on('data', onOutput)
      // With a terminal everything comes on one stream; what a strange machine sends on the other is not to slip past the recording.
      channel.stderr.on('data', onOutput)
      void closed.then(() => onEnd(end))
    },
    write: (bytes) => void channel.write(bytes),
    pending: () => channel.writableLength,
    // An empty piece is taken in turn, after all before it.
    onceTaken: (then) => void channel.write(Buffer.alloc(0), () => then()),
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
      channel.end()
      connection.close()
    },
  }
}
