import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'

export interface ToolAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any
  /** Our sentence about a refusal. */
  refused: string | undefined
  /** All texts as a model reads them. */
  text: string
}

/** An agent of the official SDK's client, over HTTP. */
export interface TestAgent {
  client: Client
  tools(): Promise<string[]>
  use(tool: string, input?: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

export async function connectAgent(url: string, token: string, more: Record<string, string> = {}): Promise<TestAgent> {
  const client = new Client({ name: 'test-client', version: '1.0' })
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}`, cookie: 'django_language=en', ...more } },
  })
  // The SDK's types leave out what may be undefined.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    use: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  }
}

/** The answer of a tool, as its client has it. */
export function answerOf(answer: Record<string, unknown>): ToolAnswer {
  const { data, refused } = (answer.structuredContent ?? {}) as Record<string, unknown>
  const texts = answer.content as { text: string }[]
  return { data, refused: refused as string | undefined, text: texts.map(({ text }) => text).join('\n') }
}

export interface AgentsFixture extends TerminalFixture {
  /** Makes a service identity that may use the fixture's machine; answers its id and its key. */
  identity(
    username: string,
    scopes: { reads?: string[]; writes?: string[] } & Record<string, unknown>,
  ): Promise<{ id: string; token: string }>
  /** Sets for whom agents may work. */
  allow(who: 'off' | 'identities' | 'everybody'): Promise<void>
}

export async function openAgentsFixture(): Promise<AgentsFixture> {
  const fixture = await openTerminalFixture()
  const { admin } = fixture.server
  const owner: Caller = await fixture.server.aPerson('owner')
  return {
    ...fixture,
    async identity(username, scopes) {
      const { status, body } = await admin.post('/api/v1/authentication/service-identities/', {
        name: `Identity ${username}`,
        username,
        owner: owner.id,
        purpose: 'works by an agent',
        ...scopes,
      })
      expect([status, body]).toEqual([201, expect.anything()])
      await fixture.created('/api/v1/perms/asset-permissions/', {
        name: `agent ${username}`,
        users: [body.id],
        assets: [fixture.asset],
        system_users: [fixture.systemUser],
      })
      const key = await admin.post('/api/v1/authentication/service-keys/', { identity: body.id, name: 'agent' })
      return { id: body.id, token: key.body.token }
    },
    async allow(who) {
      const { status, body } = await admin.patch('/api/v1/settings/setting/?category=security', {
        SECURITY_AGENTS: who,
      })
      expect([status, body]).toEqual([200, expect.anything()])
    },
  }
}
