/** How a family speaks with the installation: over HTTP, as anybody could from outside. */
import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { inject } from 'vitest'

export const place = inject('place')
export const DEFAULT_ORG = '00000000-0000-0000-0000-000000000002'
export const ROOT_ORG = '00000000-0000-0000-0000-000000000000'
export const PASSWORD = 'Plain-person-1'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  body: any
  text: string
  headers: Headers
}

type Headings = Record<string, string>

/**
 * An address that nobody else has, as the trusted proxy in front tells it: locks and captchas of
 * one family are not another's.
 */
const own = `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 250) + 1).join('.')}`
export const anAddress = () => `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 250) + 1).join('.')}`

export async function call(method: string, path: string, body?: unknown, headers: Headings = {}): Promise<Answer> {
  const isText = typeof body === 'string'
  const answer = await fetch(place.url + path, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      'x-forwarded-for': own,
      cookie: 'django_language=en',
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') && text
  return { status: answer.status, text, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
}

/** Somebody with a bearer token, in one organization. */
export interface Person {
  id: string
  username: string
  token: string
  org: string
  call(method: string, path: string, body?: unknown, headers?: Headings): Promise<Answer>
  in(org: string): Person
}

function person(id: string, username: string, token: string, org: string): Person {
  return {
    id,
    username,
    token,
    org,
    call: (method, path, body, headers) =>
      call(method, path, body, { authorization: `Bearer ${token}`, 'x-jms-org': org, ...headers }),
    in: (other) => person(id, username, token, other),
  }
}

export async function signIn(username: string, password = PASSWORD, org = DEFAULT_ORG): Promise<Person> {
  const { status, body } = await call(
    'POST',
    '/api/v1/authentication/tokens/',
    { username, password },
    { 'x-forwarded-for': anAddress() },
  )
  if (status !== 201) throw new Error(`sign-in of ${username} answered ${status}: ${JSON.stringify(body)}`)
  return person(body.user.id, username, body.token, org)
}

let keeper: Promise<Person> | undefined
export const admin = (): Promise<Person> => (keeper ??= signIn('admin', place.adminPassword))

/** Throws unless the answer is a success; answers its body. */
export function fine({ status, body }: Answer): Answer['body'] {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body
}

/** A name that no other test uses. */
export const aName = (kind: string) => `${kind}-${randomUUID().slice(0, 8)}`

export async function aPerson(
  options: { username?: string; role?: string; orgRoles?: string[]; org?: string } = {},
): Promise<Person> {
  const { username = aName('person'), role = 'User', orgRoles = ['User'], org = DEFAULT_ORG } = options
  const draft = { name: username, username, email: `${aName('mail')}@example.com`, role, org_roles: orgRoles }
  fine(
    await (await admin())
      .in(org)
      .call('POST', '/api/v1/users/users/', { ...draft, password_strategy: 'custom', password: PASSWORD }),
  )
  return signIn(username, PASSWORD, org)
}

export async function anOrganization(): Promise<string> {
  return fine(await (await admin()).call('POST', '/api/v1/orgs/orgs/', { name: aName('org') })).id
}

/** What speaks like a browser: keeps cookies, and repeats the token that pages of ours can read. */
export interface CookieJar {
  jar: Map<string, string>
  cookies(): string
  call(method: string, path: string, body?: unknown, headers?: Headings): Promise<Answer>
}

export function aJar(address = anAddress()): CookieJar {
  const jar = new Map([['django_language', 'en']])
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    jar,
    cookies,
    async call(method, path, body, headers = {}) {
      const token: Headings = jar.has('csrftoken') ? { 'x-csrftoken': jar.get('csrftoken') ?? '' } : {}
      const answer = await call(method, path, body, {
        'x-forwarded-for': address,
        cookie: cookies(),
        ...token,
        ...headers,
      })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
      return answer
    },
  }
}

export const LOGIN = '/core/auth/login/'
export const PROFILE = '/api/v1/users/profile/'

export async function aBrowserOf(username: string, password = PASSWORD): Promise<CookieJar> {
  const browser = aJar()
  fine(await browser.call('POST', LOGIN, { username, password }))
  return browser
}

/** The code of an authenticator app, `steps` half minutes from now. */
export const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/**
 * Somebody who must prove a second factor and has set an app up; the code of the half minute before
 * now is used up.
 */
export async function aGuarded(): Promise<{ id: string; username: string; secret: string }> {
  const { id, username } = await aPerson()
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${id}/`, { mfa_level: 2 }))
  const browser = aJar()
  fine(await browser.call('POST', LOGIN, { username, password: PASSWORD }))
  const { secret } = fine(await browser.call('GET', BIND))
  fine(await browser.call('POST', BIND, { otp_code: codeOf(secret, -1) }))
  return { id, username, secret }
}
const BIND = '/core/auth/profile/otp/enable/bind/'

/** A token that lets its person set a new password once, as a forced change hands it out. */
export async function aResetToken(): Promise<{ username: string; token: string }> {
  const { id, username } = await aPerson()
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${id}/`, { need_update_password: true }))
  const { body } = await call('POST', LOGIN, { username, password: PASSWORD }, { 'x-forwarded-for': anAddress() })
  const token = new URL(body.url, place.url).searchParams.get('token')
  if (!token) throw new Error(`no token: ${JSON.stringify(body)}`)
  return { username, token }
}

/** A component, registered as it does itself; answers its key. */
export async function aComponent(): Promise<{ id: string; secret: string }> {
  const { service_account } = fine(
    await call(
      'POST',
      '/api/v1/terminal/terminal-registrations/',
      { name: aName('component') },
      {
        authorization: `BootstrapToken ${place.bootstrapToken}`,
      },
    ),
  )
  return service_account.access_key
}
