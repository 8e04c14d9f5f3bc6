import type ssh2 from 'ssh2'
import { type Target, throughGateways } from '../../domains/assets/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { StreamEnd, TargetStream, TerminalSize } from '../types.ts'

const CONNECT_TIMEOUT_MS = 15_000
const TERM = 'xterm-256color'

export interface SshShellOptions {
  target: Target
  host: string
  port: number
  size: TerminalSize
  /** Answers what the machine asks beyond the stored password. */
  answer: (prompt: string, echo: boolean) => Promise<string | undefined>
}

/**
 * A login shell on the asset, through its domain's gateways when it has some. The host key is checked against the pinned one before any secret goes out.
 * Throws SshError.
 */
export async function openSshShell(kernel: Kernel, { target, host, port, size, answer }: SshShellOptions): Promise<TargetStream> {
  const { credentials, gateways, asset } = target
  const connection = await throughGateways(
    kernel,
    gateways,
    { ...credentials, host, port, scope: { orgId: asset.org_id, asset: asset.id }, answer },
    CONNECT_TIMEOUT_MS,
  )
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
    connection.client.shell({ term: TERM, cols: size.cols, rows: size.rows, width: 0, height: 0 }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    )
  }).catch((error) => {
    connection.close()
    throw error
  })

  let end: StreamEnd = {}
  const stream: TargetStream = {
    write: (bytes) => void channel.write(bytes),
    pending: () => channel.writableLength,
    resize: ({ cols, rows }) => channel.setWindow(rows, cols, 0, 0),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => {
      channel.end()
      connection.close()
    },
    onOutput: () => {},
    onEnd: () => {},
  }
  channel.on('data', (bytes: Buffer) => stream.onOutput(bytes))
  channel.stderr.on('data', (bytes: Buffer) => stream.onOutput(bytes))
  channel.on('exit', (code: number | null, signal?: string) => {
    end = { ...(code === null ? {} : { exitCode: code }), ...(signal ? { signal } : {}) }
  })
  channel.on('error', () => {})
  channel.once('close', () => {
    connection.close()
    stream.onEnd(end)
  })
  return stream
}
