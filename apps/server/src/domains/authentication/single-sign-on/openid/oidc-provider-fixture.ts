import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface OidcPerson {
  preferred_username?: string
  name?: string
  email?: string
  email_verified?: unknown
  phone_number?: string
  phone_number_verified?: boolean
}

export interface OidcProvider {
  issuer: string
  /** The paths that have been asked for. */
  paths: string[]
  /** By subject. */
  people: Map<string, OidcPerson>
  /**
   * Signs somebody in at the page that a start leads to; answers the address that the browser is
   * sent back to.
   */
  signIn(address: string, subject: string): Promise<string>
  /** The form in which the provider says that it has ended this session. */
  logoutOf(subject: string, sid: string): Promise<string>
  close(): Promise<void>
}

export const CLIENT = { id: 'sallyport', secret: 'a-client-secret-of-more-than-32-bytes' }
export const SHARED_KEY_CLIENT = { id: 'sallyport-hs', secret: 'another-secret-of-more-than-32-bytes' }

/** Claims of groups, and of people who try to be more than they are. */
const OF_GROUPS = ['groups', '_claim_names', 'role', 'is_superuser', 'org_roles']

/**
 * A certified OpenID provider on this machine, which requires PKCE.
 * @param place where the pages for it are at the site
 */
export async function startOidcProvider(site: string, place = '/core/auth/openid/'): Promise<OidcProvider> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const people = new Map<string, OidcPerson>()
  const client = ({ id, secret }: typeof CLIENT) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: [`${site}${place}callback/`],
    post_logout_redirect_uris: [`${site}/core/auth/login/`],
    backchannel_logout_uri: `${site}${place}backchannel-logout/`,
    backchannel_logout_session_required: true,
  })
  let sent: ((form: string) => Promise<void>) | undefined
  const provider = new Provider(issuer, {
    clients: [client(CLIENT), { ...client(SHARED_KEY_CLIENT), id_token_signed_response_alg: 'HS256' }],
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'phone_number', 'phone_number_verified', ...OF_GROUPS],
      email: ['email', 'email_verified'],
    },
    cookies: { keys: ['of-tests'] },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'HS256'] },
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    // The site of tests is no address: what is sent there is handed on.
    fetch: async (_address: unknown, options?: RequestInit) => {
      await sent?.(String(options?.body))
      return new Response(null, { status: 200 })
    },
    findAccount: (_, sub) =>
      people.has(sub) ? { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) } : undefined,
  })
  const paths: string[] = []
  http.on('request', ({ url = '' }) => void paths.push(url)).on('request', provider.callback())
  return {
    issuer,
    paths,
    people,
    signIn: (address, subject) => signIn(issuer, address, subject),
    async logoutOf(subject, sid) {
      let form = ''
      sent = async (body) => void (form = body)
      const known = (await provider.Client.find(CLIENT.id)) as unknown as {
        backchannelLogout(subject: string, sid: string): Promise<void>
      }
      await known.backchannelLogout(subject, sid)
      return form
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

/** A person's browser at the provider: signs in with name and password, then consents. */
async function signIn(issuer: string, address: string, subject: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = address
  let form: URLSearchParams | undefined
  for (let step = 0; step < 12; step++) {
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) jar.set(name, value)
      else jar.delete(name)
    }
    form = undefined
    const to = answer.headers.get('location')
    if (to) url = new URL(to, url).href
    else {
      const page = await answer.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (!prompt) throw new Error(`the provider answers ${answer.status}: ${page.slice(0, 500)}`)
      form = new URLSearchParams({ prompt, login: subject, password: 'any' })
    }
    if (!url.startsWith(issuer)) return url
  }
  throw new Error('the provider does not come to an end')
}
