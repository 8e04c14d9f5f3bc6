import type { SecretSourceKind } from '@sallyport/contract/resources/assets/secret-source.ts'
import { type Answer, type Conversation, SourceFailure } from './ask.ts'
import { pathInAddress } from './secret-path.ts'

/** The part of a source that its store is asked with, secrets opened. */
export interface OpenedSource {
  kind: SecretSourceKind
  namespace: string
  engine: string
  authentication: 'token' | 'approle'
  token: string
  role_id: string
  secret_id: string
}

/** A kind of store: reads one field of one secret, and tries whether signing in works. */
interface Store {
  read(talk: Conversation, source: OpenedSource, path: string, field: string): Promise<unknown>
  signIn(talk: Conversation, source: OpenedSource): Promise<void>
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const own = (value: unknown, name: string): unknown =>
  Object.hasOwn(record(value), name) ? record(value)[name] : undefined

/** Throws what a status means where nothing was found. */
export function check({ status }: Answer): void {
  if (status === 200) return
  if (status === 401 || status === 403) throw new SourceFailure('denied', { status })
  if (status === 404) throw new SourceFailure('absent', { status })
  throw new SourceFailure('status', { status })
}

const ofNamespace = ({ namespace }: OpenedSource): Record<string, string> =>
  namespace ? { 'x-vault-namespace': namespace } : {}

/** Works with a token of the store. One that was made for this is given back at once. */
export async function withToken<T>(
  talk: Conversation,
  source: OpenedSource,
  work: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const common = ofNamespace(source)
  if (source.authentication === 'token') return work({ ...common, 'x-vault-token': source.token })
  const { role_id, secret_id } = source
  const answer = await talk.ask('v1/auth/approle/login', { headers: common, json: { role_id, secret_id } })
  if (answer.status >= 400 && answer.status < 404) throw new SourceFailure('sign_in', { status: answer.status })
  check(answer)
  const token = own(own(answer.body, 'auth'), 'client_token')
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) throw new SourceFailure('unreadable')
  const headers = { ...common, 'x-vault-token': token }
  try {
    return await work(headers)
  } finally {
    // Tokens of some kinds cannot be given back; they end by themselves.
    await talk.ask('v1/auth/token/revoke-self', { headers, json: {} }).catch(() => {})
  }
}

/** HashiCorp Vault and OpenBao: KV version 2, by a token or an AppRole. */
const vault: Store = {
  read: (talk, source, path, field) =>
    withToken(talk, source, async (headers) => {
      const address = `v1/${pathInAddress(source.engine)}/data/${pathInAddress(path)}`
      const answer = await talk.ask(address, { headers })
      check(answer)
      return own(own(own(answer.body, 'data'), 'data'), field)
    }),
  signIn: (talk, source) =>
    withToken(talk, source, async (headers) => {
      const answer = await talk.ask('v1/auth/token/lookup-self', { headers })
      if (answer.status === 403) throw new SourceFailure('sign_in', { status: 403 })
      check(answer)
    }),
}

/** Any other store: GET of the address with the path, with a bearer token; the answer is an object of JSON. */
const http: Store = {
  async read(talk, { token }, path, field) {
    const answer = await talk.ask(pathInAddress(path), token ? { headers: { authorization: `Bearer ${token}` } } : {})
    check(answer)
    return own(answer.body, field)
  },
  // There is nothing to ask for that every such store has.
  async signIn() {},
}

export const STORES: Readonly<Record<SecretSourceKind, Store>> = { vault, http }
