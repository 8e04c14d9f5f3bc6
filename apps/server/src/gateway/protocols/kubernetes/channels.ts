import type { StreamEnd } from '../../session/live-session.ts'

/**
 * Meanings of a frame, by its first byte
 * (https://pkg.go.dev/k8s.io/apimachinery/pkg/util/remotecommand).
 */
export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const

/** The newest first; only it can say that input has ended. */
export const SUBPROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const
export const [ENDS_INPUT] = SUBPROTOCOLS

export const frame = (channel: number, bytes: Buffer | string): Buffer =>
  Buffer.concat([Buffer.of(channel), Buffer.from(bytes)])

/** How a program has ended, as a cluster says it. */
export function readEnd(text: string): StreamEnd {
  const { status, message, reason, details } = asObject(text) as {
    status?: unknown
    message?: unknown
    reason?: unknown
    details?: { causes?: { reason?: unknown; message?: unknown }[] }
  }
  if (status === 'Success') return { exitCode: 0 }
  const causes = Array.isArray(details?.causes) ? details.causes : []
  const code = Number(causes.find((one) => one?.reason === 'ExitCode')?.message)
  if (reason === 'NonZeroExitCode' && Number.isInteger(code)) return { exitCode: code }
  // The program could not be started at all.
  return { exitCode: NOT_STARTED, message: String(message ?? 'The program could not be run').slice(0, 1000) }
}

/** As shells have it. */
const NOT_STARTED = 126

/** The same for a client. */
export function writeEnd({ exitCode, message, isLost }: StreamEnd): string {
  if (exitCode === 0) return JSON.stringify({ metadata: {}, status: 'Success' })
  if (message || isLost || exitCode === undefined)
    return JSON.stringify({
      metadata: {},
      status: 'Failure',
      message: message ?? 'The session has ended',
      reason: 'InternalError',
      code: 500,
    })
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  })
}

function asObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
