import type { FastifyRequest } from 'fastify'
import { isSameOrigin } from '../../kernel/access/same-origin.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { findUser } from '../users/index.ts'

/**
 * Until somebody sets SITE_URL, links in messages begin with the address at which a system
 * administrator signed in last: as the browser asked for it, or a trusted proxy says. What others
 * send as their host counts for nothing, or a stranger could have links to a place of theirs mailed.
 */
export async function noteSiteAddress(kernel: Kernel, request: FastifyRequest, userId: string): Promise<void> {
  const settings = settingsOf(kernel)
  const { origin } = request.headers
  // The browser knows better than a proxy that does not say https.
  const address = origin && isSameOrigin(request) ? origin : `${request.protocol}://${request.host}`
  if (settings.isSet('SITE_URL') || settings.get('SITE_URL_SEEN') === address) return
  if (URL.parse(address)?.origin !== address) return
  const person = await findUser(kernel.db, { id: userId })
  if (person?.role === 'Admin') await settings.set('SITE_URL_SEEN', address)
}
