import { ApiError, type Client } from '@sallyport/client'
import { ask, piped } from '../ask.ts'
import type { Command, Context, Given } from '../command.ts'
import { textOf } from '../command.ts'
import { addressOf, clientOf, fromEnvironment, tokenOf } from '../context.ts'
import { Failure } from '../exit.ts'
import type { Kept, KnownServer } from '../store.ts'

export const login: Command = {
  does: 'sign in to a server, in the browser, by an access key or by a token',
  usage: '[URL] [--user NAME | --key | --token] [--ssh HOST:PORT]',
  options: {
    user: { type: 'string', short: 'u', does: 'your name there' },
    key: { type: 'boolean', does: 'read the id and the secret of an access key from the standard input' },
    token: { type: 'boolean', does: 'read a token from the standard input' },
    ssh: { type: 'string', does: 'where ssh connects to' },
  },
  async run(context, given) {
    const { say, store } = context
    const url = given.words[0] ? addressOf(given.words[0], context) : context.server().url
    const known = store.read().servers[url]
    const server: KnownServer = {
      url,
      org: known?.org,
      ssh: sshOf(context, textOf(given, 'ssh')) ?? known?.ssh,
    }
    const kept = await credentialsFor(context, given, { ...server, username: known?.username })
    const { username } = await profileOf(context, { ...server, credentials: kept })
    store.keep({ ...server, username, credentials: kept })
    context.answer({ url, username, expires: 'expires' in kept ? kept.expires : undefined }, () =>
      say('Signed in to {{url}} as {{username}}', { url, username }),
    )
    return undefined
  },
}

export const logout: Command = {
  does: 'sign out: end the token there, and forget it here',
  usage: '',
  async run(context) {
    const server = context.server()
    const stored = context.store.read().servers[server.url]
    if (stored?.credentials?.kind === 'bearer') await endToken(clientOf(context, stored))
    context.store.forget(server.url)
    context.answer({ url: server.url }, () => context.say('Signed out of {{url}}', { url: server.url }))
    return undefined
  },
}

export const whoami: Command = {
  does: 'say who you are, and where',
  usage: '',
  async run(context) {
    const server = context.server()
    const { id, username, name } = await context.client().get<Record<string, string>>('/api/v1/users/profile/')
    context.answer({ url: server.url, id, username, name }, () => `${name} (${username}) · ${server.url}`)
    return undefined
  },
}

/** Its own sign-in, as the server lists it. A token that has ended already is no reason to fail. */
async function endToken(client: Client): Promise<void> {
  try {
    const rows = await client.get<{ id: string; is_current: boolean }[]>('/api/v1/authentication/sessions/')
    const own = rows.find(({ is_current }) => is_current)
    if (own) await client.delete(`/api/v1/authentication/sessions/${own.id}/`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
  }
}

function sshOf({ say }: Context, text: string | undefined): KnownServer['ssh'] {
  if (text === undefined) return undefined
  const [, host, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!host && !port) throw new Failure('usage', say('This is no host and port: {{text}}', { text }))
  return { ...(host ? { host } : {}), ...(port ? { port: Number(port) } : {}) }
}

async function profileOf(context: Context, server: KnownServer): Promise<{ username: string }> {
  return clientOf(context, server).get<{ username: string }>('/api/v1/users/profile/')
}

async function credentialsFor(context: Context, given: Given, server: KnownServer): Promise<Kept> {
  const { say, environment } = context
  const ofJob = fromEnvironment(environment)
  if (given.values.key) {
    if (ofJob?.kind === 'key') return ofJob
    const text =
      (await piped()) ?? `${(await ask(say('Id of the key: '))) ?? ''} ${(await ask(say('Secret: '), true)) ?? ''}`
    return keyIn(context, text)
  }
  if (given.values.token) {
    if (ofJob && ofJob.kind !== 'key') return ofJob
    const text = (await piped()) ?? (await ask(say('Token: '), true))
    if (!text) throw new Failure('usage', say('Give the token on the standard input'))
    return tokenOf(text)
  }
  return inBrowser(context, server, textOf(given, 'user'))
}

/** Id and secret with a blank, a colon or a new line between them, or the JSON of the call that made the key. */
function keyIn({ say }: Context, text: string): Kept {
  const [id = '', secret = ''] = text.trim().startsWith('{') ? ofJson(text) : text.trim().split(/[\s:]+/)
  if (!id || !secret) throw new Failure('usage', say('Give the id and the secret of the key on the standard input'))
  return { kind: 'key', id, secret }
}

function ofJson(text: string): string[] {
  try {
    const { id, secret } = JSON.parse(text) as Record<string, unknown>
    return [String(id ?? ''), String(secret ?? '')]
  } catch {
    return []
  }
}

/** How often a sign-in is looked at that a reviewer must confirm. */
const REVIEW_MS = 3000

interface Issued {
  token?: string
  date_expired?: string
  error?: string
  msg?: string
}

/**
 * Shows an address and a code, and waits until the person has confirmed the code in a browser in which
 * they are signed in; then for a reviewer, where a login rule asks for one.
 */
async function inBrowser(context: Context, server: KnownServer, user: string | undefined): Promise<Kept> {
  const { say, tell } = context
  const asked = user ?? server.username ?? (await ask(say('Your name at {{url}}: ', { url: server.url })))
  if (!asked) throw new Failure('usage', say('Say who you are: sallyport login --user NAME'))
  const client = clientOf(context, { url: server.url })
  const begun = await client.post<{ id: string; code: string; url: string }>(
    '/api/v1/authentication/browser-sign-ins/',
    { username: asked },
  )
  tell(say('Open {{url}} in a browser, compare the code {{code}} and confirm', { url: begun.url, code: begun.code }))
  let cookie: string | undefined
  for (;;) {
    const { issued, session } = await askForToken(client, { username: asked, browser_sign_in: begun.id }, cookie)
    if (issued.token) return { kind: 'bearer', token: issued.token, expires: issued.date_expired }
    if (issued.error === 'browser_waiting') continue
    if (issued.error !== 'login_confirm_wait')
      throw new Failure('refused', issued.msg ?? say('The server did not sign you in'))
    if (!cookie) tell(issued.msg ?? '')
    cookie ??= session
    await new Promise((resolve) => setTimeout(resolve, REVIEW_MS))
  }
}

/** One question; a refusal that says what to wait for is an answer. */
async function askForToken(
  client: Client,
  body: Record<string, string>,
  cookie: string | undefined,
): Promise<{ issued: Issued; session: string | undefined }> {
  const path = '/api/v1/authentication/tokens/'
  try {
    const answer = await client.open('POST', path, cookie ? { body: {}, headers: { cookie } } : { body })
    const [session] = answer.headers.getSetCookie().filter((one) => one.startsWith('sessionid='))
    return { issued: (await answer.json()) as Issued, session: session?.split(';')[0] }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'browser_waiting')
      return { issued: { error: error.code }, session: undefined }
    throw error
  }
}
