import { CHECK_TOKEN_HEADER, observeProxy, type ProxyDoor, QUIET_SECONDS } from '@sallyport/contract/proxy-check.ts'
import { Agent, fetch, WebSocket } from 'undici'
import { judgedConnector } from '../../../kernel/outbound/judged-lookup.ts'
import type { Vault } from '../../../kernel/secrets/vault.ts'
import { newCheckToken } from './check-token.ts'
import type { ProxyFinding } from './finding.ts'
import { judgeProxy } from './judge.ts'

export interface ProxyCheckOptions {
  /** The vault of the installation, whose key makes the token of the check. */
  secrets: Vault
  /** For how long nothing is said; a little longer than proxies usually wait when not given. */
  seconds?: number
  /** Address of this machine that the requests come from; the system chooses when not given. */
  localAddress?: string
}

/**
 * Asks the site as people reach it what its proxy does to requests, from outside of a browser and
 * without anybody's sign-in. Takes a little longer than `seconds`. Never throws: what cannot be
 * reached is a finding. That the certificate is none which this machine trusts is not looked at.
 * @param siteUrl the setting Site URL
 */
export async function checkProxy(siteUrl: string, options: ProxyCheckOptions): Promise<ProxyFinding[]> {
  const { secrets, seconds = QUIET_SECONDS, localAddress } = options
  const dispatcher = new Agent({
    connect: judgedConnector({ rejectUnauthorized: false }),
    ...(localAddress ? { localAddress } : {}),
    // The check itself says when an answer takes too long.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const token = { [CHECK_TOKEN_HEADER]: newCheckToken(secrets) }
  let cookie = ''
  const door: ProxyDoor = {
    site: URL.parse(siteUrl)?.origin ?? siteUrl,
    sendsOrigin: false,
    async fetch(path, { limitMs, headers, ...request }) {
      const answer = await fetch(new URL(path, siteUrl), {
        ...request,
        headers: { ...headers, ...token, ...(cookie ? { cookie } : {}) },
        redirect: 'manual',
        signal: AbortSignal.timeout(limitMs),
        dispatcher,
      })
      cookie = answer.headers.getSetCookie().at(0)?.split(';')[0] ?? cookie
      return answer
    },
    socket: (path) => new WebSocket(new URL(path, siteUrl.replace(/^http/, 'ws')), { headers: token, dispatcher }),
  }
  try {
    return judgeProxy(await observeProxy(door, seconds))
  } finally {
    await dispatcher.destroy()
  }
}
