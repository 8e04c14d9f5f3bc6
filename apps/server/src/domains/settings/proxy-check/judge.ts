import { type Arrival, CLAIMED, type Observed } from '@sallyport/contract/proxy-check.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'
import type { ProxyFinding } from './finding.ts'
import { CHANGING_LINES, MEND_LINES, PROXIES, type ProxyName } from './mend-lines.ts'

/** Status of an answer for which there is no room. */
const TOO_MANY = 429

type Part = (seen: Seen) => ProxyFinding | undefined

/** Observations of a site that answered. */
interface Seen extends Observed {
  arrival: Arrival
  url: URL
  /** Whether there are signs of a proxy. */
  isProxied: boolean
  isHostRight: boolean
  /** Whether the server had no room for all of the check. */
  isBusy: boolean
}

/**
 * Judges a proxy, with its faults in the order in which to mend them.
 * @param siteUrl the setting Site URL, where the check was made at another address perhaps
 */
export function judgeProxy(observed: Observed, siteUrl: string = observed.site): ProxyFinding[] {
  const { arrival, site, why } = observed
  const url = URL.parse(site)
  if (!arrival || !url) return [unreached(site, why)]
  const { for: address, proto, host, others } = arrival.forwarded
  const isHostRight = hostOf(url, arrival.host) === url.host
  const isProxied =
    !isHostRight || Boolean(address || proto || host || others) || (isHttps(url) && !arrival.is_encrypted)
  const isBusy = observed.socket.is_busy || observed.slow.status === TOO_MANY
  const seen: Seen = { ...observed, arrival, url, isHostRight, isProxied, isBusy }
  return [siteSetting(url, siteUrl), ...PARTS.map((part) => part(seen))].filter((one) => one !== undefined)
}

const isHttps = ({ protocol }: URL) => protocol === 'https:'
/** Without the port that browsers leave out. */
const hostOf = ({ protocol }: URL, host: string) => URL.parse(`${protocol}//${host}`)?.host ?? ''
const isLocal = (name: string) => /^(localhost|.*\.localhost|127\..*|\[::1\]|::1|::ffff:127\..*)$/.test(name)

const ok = (name: string, words: ProxyFinding['words']): ProxyFinding => ({ name, state: 'ok', words })

const byLines = (part: keyof typeof MEND_LINES): Pick<ProxyFinding, 'advice' | 'lines'> => {
  const lines = MEND_LINES[part]
  const alone = (Object.keys(PROXIES) as ProxyName[]).filter((proxy) => !lines[proxy].length)
  const names = alone.map((proxy) => PROXIES[proxy]).join(', ')
  return {
    lines,
    advice: (say) =>
      [
        say('Have these lines in the configuration of your proxy.'),
        ...(alone.length ? [say('By default right, so take away what changes it: {{names}}.', { names })] : []),
      ].join(' '),
  }
}

function unreached(site: string, why: string): ProxyFinding {
  return {
    name: 'reach',
    state: 'error',
    words: (say) => say('{{site}} is not answered by this server: {{why}}', { site, why }),
    advice: (say) =>
      say('Set Site URL to the address at which people open this site, and see that its proxy leads to this server.'),
  }
}

function siteSetting(url: URL, siteUrl: string): ProxyFinding | undefined {
  if (URL.parse(siteUrl)?.origin === url.origin) return undefined
  return {
    name: 'site',
    state: 'warning',
    words: (say) =>
      say('Site URL is {{set}}, but this was checked at {{site}}: links, passkeys and single sign-on lead there.', {
        set: siteUrl,
        site: url.origin,
      }),
    advice: (say) => say('Set Site URL to the address at which people open this site.'),
  }
}

/** For a proxy that is right, but not named in the settings. */
const trustIt = ({ trusted_proxies, peer }: Arrival) => ({
  setting: `SALLYPORT_TRUSTED_PROXIES=${[...trusted_proxies, peer].join(',')}`,
  advice: (say: Say) => say('Set this in the configuration of Sallyport, and restart it.'),
})

const host: Part = ({ arrival, claimed, url, site, isHostRight }) => {
  if (isHostRight)
    return claimed?.host === CLAIMED.host
      ? {
          name: 'host',
          state: 'warning',
          words: (say) => say('Your proxy passes on the X-Forwarded-Host that people claim.'),
          ...byLines('claimedHost'),
        }
      : ok('host', (say) => say('The name of the site arrives as it is: {{host}}.', { host: arrival.host }))
  const isToldBeside = !arrival.is_trusted && hostOf(url, arrival.forwarded.host) === url.host
  return {
    name: 'host',
    state: 'error',
    words: (say) =>
      say('Your proxy sends another Host: people open {{site}}, and {{host}} arrives. Nobody can sign in.', {
        site,
        host: arrival.host,
      }),
    ...byLines('host'),
    ...(isToldBeside ? trustIt(arrival) : {}),
  }
}

const https: Part = ({ arrival, claimed, url, site }) => {
  if (!isHttps(url)) return withoutHttps(arrival, url, site)
  if (arrival.protocol === 'https' && claimed && claimed.protocol !== 'https')
    return {
      name: 'https',
      state: 'warning',
      words: (say) => say('Your proxy passes on the X-Forwarded-Proto that people claim.'),
      ...byLines('https'),
    }
  if (arrival.protocol === 'https') return ok('https', (say) => say('The server knows that people come by HTTPS.'))
  if (!arrival.is_trusted && arrival.forwarded.proto.toLowerCase() === 'https')
    return {
      name: 'https',
      state: 'error',
      words: (say) =>
        say('Your proxy says https, but it is not trusted: cookies are sent without protection, as for HTTP.'),
      ...trustIt(arrival),
    }
  return {
    name: 'https',
    state: 'error',
    words: (say) =>
      say(
        'Your proxy does not say https: people open {{site}}, and the server takes it for HTTP. Cookies are sent without protection.',
        { site },
      ),
    ...byLines('https'),
  }
}

function withoutHttps(arrival: Arrival, url: URL, site: string): ProxyFinding {
  if (arrival.protocol === 'https')
    return {
      name: 'https',
      state: 'error',
      words: (say) =>
        say('Your proxy says https, but people open {{site}}: browsers drop the cookie of the sign-in.', { site }),
      ...byLines('https'),
    }
  if (isLocal(url.hostname))
    return ok('https', (say) => say('This address is of this machine alone, and needs no HTTPS.'))
  return {
    name: 'https',
    state: 'warning',
    words: (say) =>
      say('People open {{site}} without encryption: whoever is on the way reads their passwords.', { site }),
    advice: (say) => say('Give the site a certificate, and set Site URL to its address with https.'),
  }
}

const address: Part = ({ arrival, claimed, isProxied }) => {
  const { peer, is_trusted, forwarded } = arrival
  if (!isProxied) return ok('address', (say) => say('No proxy is seen on the way. You come from {{address}}.', arrival))
  if (!is_trusted)
    return {
      name: 'address',
      state: 'error',
      words: (say) =>
        say(
          'SALLYPORT_TRUSTED_PROXIES does not name your proxy, {{peer}}: what it says of people is not believed, and all seem to come from there.',
          { peer },
        ),
      ...trustIt(arrival),
    }
  const last = lastOf(claimed?.forwarded.for ?? '')
  if (last === CLAIMED.address)
    return {
      name: 'address',
      state: 'error',
      words: (say) =>
        say(
          'Your proxy does not say the address of the person, and passes on what people claim: anybody can have any address in logs and rules.',
        ),
      ...byLines('address'),
    }
  if (!forwarded.for)
    return {
      name: 'address',
      state: 'error',
      words: (say) =>
        say('Your proxy does not say the address of the person: all seem to come from {{peer}}.', { peer }),
      ...byLines('address'),
    }
  // On the machine of the proxy itself, this is as it should be.
  if (claimed?.address === CLAIMED.address && !isLocal(last) && last !== peer)
    return {
      name: 'address',
      state: 'error',
      words: (say) =>
        say('SALLYPORT_TRUSTED_PROXIES names {{last}}, from which people come: they can claim any address.', { last }),
      advice: (say) => say('Name proxies alone in SALLYPORT_TRUSTED_PROXIES, and restart Sallyport.'),
    }
  return ok('address', (say) => say('Your proxy, {{peer}}, says that you come from {{address}}.', arrival))
}

const lastOf = (list: string) => list.split(',').at(-1)?.trim() ?? ''

const websocket: Part = ({ socket, isHostRight, sends_origin, isBusy }) => {
  if (socket.opened) return ok('websocket', (say) => say('WebSockets open.'))
  // The server refuses those that pages of another name seem to open.
  if (isBusy || (!isHostRight && sends_origin)) return undefined
  return {
    name: 'websocket',
    state: 'error',
    words: (say) => say('Your proxy drops WebSockets: no terminal, desktop or notice opens.'),
    ...byLines('websocket'),
  }
}

const quiet: Part = ({ socket, seconds, isBusy }) => {
  if (!socket.opened || isBusy) return undefined
  if (socket.kept)
    return ok('quiet', (say) => say('WebSockets stay open through {{seconds}} s of silence.', { seconds }))
  return {
    name: 'quiet',
    state: 'error',
    words: (say) => say('Your proxy cuts WebSockets after {{after}} s of silence: terminals break off.', socket),
    ...byLines('quiet'),
  }
}

const slow: Part = ({ slow, seconds, isBusy }) => {
  if (isBusy) return undefined
  if (slow.status === 200) return ok('slow', (say) => say('An answer may take {{seconds}} s.', { seconds }))
  return {
    name: 'slow',
    state: 'error',
    words: (say) =>
      say('Your proxy cuts after {{after}} s when an answer takes longer: exports and searches fail.', slow),
    ...byLines('slow'),
  }
}

const body: Part = ({ body: { status }, isHostRight, sends_origin }) => {
  if (status === 200) return ok('body', (say) => say('Bodies of 2 MB pass.'))
  if (status === 403 && !isHostRight && sends_origin) return undefined
  return {
    name: 'body',
    state: 'error',
    words: (say) => say('Your proxy cuts bodies over 1 MB: imports and uploads fail.'),
    ...byLines('body'),
  }
}

const buffering: Part = ({ stream }) => {
  if (stream === 'broken') return undefined
  if (stream === 'pieces') return ok('buffering', (say) => say('Answers come through piece by piece.'))
  return {
    name: 'buffering',
    state: 'warning',
    words: (say) =>
      say('Your proxy buffers answers: downloads begin late, and large ones go over the disk of the proxy.'),
    ...byLines('buffering'),
  }
}

const headers: Part = ({ arrival, is_cookie_kept, changed_headers }) => {
  const wrong = (state: 'warning' | 'error', words: ProxyFinding['words']): ProxyFinding => ({
    name: 'headers',
    state,
    words,
    lines: CHANGING_LINES,
    advice: (say) => say('Take away what does that from the configuration of your proxy: lines that begin so.'),
  })
  if (!is_cookie_kept)
    return wrong('error', (say) => say('Your proxy strips or changes cookies: nobody stays signed in.'))
  if (arrival.missing_headers.length)
    return wrong('error', (say) =>
      say('Your proxy strips headers of requests: {{names}}', { names: arrival.missing_headers.join(', ') }),
    )
  if (changed_headers.length)
    return wrong('warning', (say) =>
      say('Your proxy adds, changes or strips headers of answers: {{names}}', { names: changed_headers.join(', ') }),
    )
  return ok('headers', (say) => say('Cookies and headers come through as they were sent.'))
}

const busy: Part = ({ isBusy }) =>
  isBusy
    ? {
        name: 'busy',
        state: 'warning',
        words: (say) => say('Other checks are running, so not everything was tried.'),
        advice: (say) => say('Check again in two minutes.'),
      }
    : undefined

const PARTS: readonly Part[] = [host, https, address, websocket, quiet, slow, body, buffering, headers, busy]
