import type { FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors/app-error.ts'

/**
 * The browser session of a request's person.
 * @throws AppError 400 browser_only for keys and tokens, of which nobody sits in front
 */
export function browserOf({ call: { via, sessionId } }: Pick<FastifyRequest, 'call'>): string {
  if (via !== 'session' || !sessionId) throw refused('browser_only', 'This can only be done in a browser')
  return sessionId
}
