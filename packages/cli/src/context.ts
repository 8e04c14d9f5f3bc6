import { accessKey, bearer, type Client, createClient, privateToken } from '@sallyport/client'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { Context } from './command.ts'
import { Failure } from './exit.ts'
import { type Kept, type KnownServer, openStore } from './store.ts'
import { languageOf, sayIn } from './words.ts'

export const USER_AGENT = `sallyport-cli/${PRODUCT_VERSION} (${process.platform})`

/** Options of all commands. */
export interface Common {
  json: boolean
  /** Address of the server, where it is not that of the last sign-in. */
  server?: string | undefined
  org?: string | undefined
}

export function contextOf(environment: NodeJS.ProcessEnv, { json, server: wanted, org }: Common): Context {
  const language = languageOf(environment)
  const say = sayIn(language)
  const store = openStore(environment, say)
  const context: Context = {
    environment,
    language,
    say,
    json,
    store,
    server() {
      const { current, servers } = store.read()
      const url = wanted ?? environment.SALLYPORT_CLI_URL ?? current
      if (!url) throw new Failure('signIn', say('Sign in first: sallyport login https://sallyport.example.com'))
      const address = addressOf(url, context)
      const known = servers[address] ?? { url: address }
      const ofRun = org ?? environment.SALLYPORT_CLI_ORG
      const ofJob = fromEnvironment(environment)
      return {
        ...known,
        ...(ofRun ? { org: ofRun } : {}),
        // The job's credentials may be somebody else's than those that are kept.
        ...(ofJob ? { credentials: ofJob, username: undefined } : {}),
      }
    },
    client() {
      const server = context.server()
      if (!server.credentials)
        throw new Failure('signIn', say('Sign in first: sallyport login {{url}}', { url: server.url }))
      return clientOf(context, server)
    },
    tell: (line) => process.stderr.write(`${line}\n`),
    answer: (value, text) => process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : textLine(text())),
  }
  return context
}

const textLine = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** A client of that server, also for those who have not signed in. */
export function clientOf({ language }: Pick<Context, 'language'>, server: KnownServer): Client {
  const { url, credentials: kept, org } = server
  return createClient({
    url,
    language,
    userAgent: USER_AGENT,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(org ? { org } : {}),
    ...(kept ? { credentials: credentialsOf(kept) } : {}),
  })
}

function credentialsOf(kept: Kept) {
  if (kept.kind === 'key') return accessKey(kept)
  return kept.kind === 'bearer' ? bearer(kept.token) : privateToken(kept.token)
}

/** For jobs, which keep nothing: a token or a key. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Kept | undefined {
  const { SALLYPORT_CLI_TOKEN: token, SALLYPORT_CLI_KEY_ID: id, SALLYPORT_CLI_KEY_SECRET: secret } = environment
  if (id && secret) return { kind: 'key', id, secret }
  return token ? tokenOf(token) : undefined
}

/** A private token is forty hexadecimal digits, written with or without its word. */
export function tokenOf(text: string): Kept {
  const [, word, token = ''] = /^(?:(Token|Bearer)\s+)?(\S+)$/i.exec(text.trim()) ?? []
  const isPrivate = word ? /^token$/i.test(word) : /^[0-9a-f]{40}$/.test(token)
  return { kind: isPrivate ? 'private' : 'bearer', token }
}

/** The origin of an address, of which people may leave out `https://`. @throws Failure */
export function addressOf(text: string, { say }: Pick<Context, 'say'>): string {
  try {
    const { protocol, origin } = new URL(/^https?:\/\//.test(text) ? text : `https://${text}`)
    if (protocol === 'https:' || protocol === 'http:') return origin
  } catch {}
  throw new Failure('usage', say('This is no address of a server: {{text}}', { text }))
}
