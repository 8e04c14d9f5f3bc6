import type { ProxyDoor } from '@sallyport/contract/proxy-check.ts'
import { callHeaders } from '../../../lib/early.ts'

/** This browser, at the address at which this page was opened. */
export const browserDoor = (): ProxyDoor => ({
  site: location.origin,
  sendsOrigin: true,
  // Not by the client of the API: what fails here is what is looked for, and says nothing of the server.
  fetch: (path, { limitMs, headers, ...request }) =>
    fetch(path, {
      ...request,
      headers: { ...callHeaders(undefined), ...headers },
      credentials: 'same-origin',
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    }),
  socket: (path) => new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`),
})
