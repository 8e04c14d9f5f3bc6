import { createHash, randomBytes } from 'node:crypto'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'

export const CALLBACK = 'http://127.0.0.1:3118/callback'

/** A program by the official SDK: it registers, sends its person to the browser, and keeps its tokens. */
export class Program implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'Editor \u202Eevil', redirect_uris: [CALLBACK] }
  /** The address that it opens in the browser. */
  sent: URL | undefined
  kept: OAuthTokens | undefined
  forgotten: string[] = []
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''

  state = () => 'state-of-the-program'
  clientInformation = () => this.#client
  tokens = () => this.kept
  codeVerifier = () => this.#verifier
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client
  }
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens
  }
  redirectToAuthorization(url: URL) {
    this.sent = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    this.forgotten.push(what)
    if (what === 'all' || what === 'tokens') this.kept = undefined
    if (what === 'all' || what === 'client') this.#client = undefined
  }
}

/** A client of the SDK that connects by what the program keeps. */
export function clientOf(url: string, program: Program) {
  const client = new Client({ name: 'editor', version: '3' })
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', url), { authProvider: program })
  return { client, transport, connect: () => client.connect(transport as Parameters<Client['connect']>[0]) }
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
