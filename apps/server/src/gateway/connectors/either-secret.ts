import { SshError } from '../../kernel/ssh/connect.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/**
 * Logs in with the stored secret. While that is being changed, and the server refuses it, with what
 * it is changed to. Throws what `open` throws.
 */
export async function withEitherSecret<O extends { target: ConnectionTarget }, T>(
  options: O,
  open: (options: O) => Promise<T>,
): Promise<T> {
  const { target } = options
  const { candidate, ...credentials } = target.credentials
  if (!candidate) return open(options)
  try {
    return await open(options)
  } catch (error) {
    const isRefused = error instanceof SshError && error.failure === 'authentication'
    if (!isRefused || error.hop < (target.gateways.length ? 1 : 0)) throw error
    return open({ ...options, target: { ...target, credentials: { ...credentials, ...candidate } } })
  }
}
