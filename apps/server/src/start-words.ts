import { ConfigError } from './config-error.ts'
import { wordsOf } from './kernel/database/database-words.ts'
import { inSources } from './kernel/errors/source-places.ts'
import { StartRefusal } from './kernel/start-refusal.ts'

/** PostgreSQL's codes. */
const SQL_STATE = /^[0-9A-Z]{5}$/

/**
 * Why Sallyport, or a command of it, does not start: a line for what an operator can mend, the stack
 * for a fault of ours.
 */
export function startWords(error: unknown): string {
  if (error instanceof ConfigError) return `Sallyport cannot start with these settings:\n${error.message}`
  if (error instanceof StartRefusal) return error.message
  const { code, port, address, stack, message, syscall, severity, cause } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
    severity?: string
  }
  if (code === 'EADDRINUSE')
    return `${address}:${port} is in use: stop what listens there, or set SALLYPORT_HTTP_PORT, SALLYPORT_HTTPS_PORT, SALLYPORT_SSH_PORT or SALLYPORT_LINK_PORT to another port`
  if (code === 'EADDRNOTAVAIL') return `${address} is no address of this machine: SALLYPORT_HOST names where to listen`
  if (code === 'EACCES' && port) return `This account may not listen on port ${port}: take one from 1024 up`
  if (severity && SQL_STATE.test(code ?? '')) return `The database refuses what a start needs: ${wordsOf(error)}`
  // The query builder's own message is the statement with its values.
  if ((error as Error).name === 'DrizzleQueryError' && cause) return startWords(cause)
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached: ${wordsOf(error)}`
  if (syscall) return message
  return /PostgreSQL/.test(message) ? message : inSources(stack ?? message)
}
