import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { agentChallenge } from '../../domains/authentication/index.ts'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { byHome } from '../by-home.ts'
import type { Gateway } from '../gateway.ts'
import { agentOf } from './agent.ts'
import { refuseWhereOff } from './allowed.ts'
import { clientName, markedCall } from './marked-call.ts'
import { OpenMessages } from './open-messages.ts'
import { StatementRuns } from './statement-runs.ts'
import { AGENT_TOOLS } from './tools/index.ts'

export const MCP_PATH = '/api/mcp'
const SESSION_HEADER = 'mcp-session-id'
/** Bytes of one message: the longest command of a run, and what is around it. */
const MESSAGE_LIMIT = 512 * 1024

/** For the API document; the protocol's own schema checks it. */
const MESSAGE = z.object({
  jsonrpc: z.enum(['2.0']),
  id: z.int().optional(),
  method: z.string().max(256),
  params: z.record(z.string(), z.unknown()).optional(),
})

/**
 * The door for agents that speak MCP (docs/agents.md). Each message is answered by itself; all of one
 * credential come to one node, which has its statements. What a tool does is a call of the API with the
 * caller's rights.
 */
export function registerAgents(kernel: Kernel, gateway: Gateway): void {
  const statements = new StatementRuns(gateway)
  const open = new OpenMessages()
  const challenge = ({ headers }: FastifyRequest) => agentChallenge(kernel, headers.authorization !== undefined)
  kernel.app.route({
    method: 'POST',
    url: MCP_PATH,
    bodyLimit: MESSAGE_LIMIT,
    config: {
      access: ['authenticated'],
      onlyCarries: true,
      challenge,
      // Statements that wait for people.
      carriedBy: (request) => byHome(kernel, request),
      summary: 'Agents: a message of the Model Context Protocol',
      takes: MESSAGE,
      answers: { fields: plainFields({ jsonrpc: 'string', id: 'integer', result: 'object', error: 'object' }) },
    },
    handler: async (request, reply) => {
      refuseWhereOff(kernel, request.call)
      const { body } = request
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw invalid({ non_field_errors: 'One message at a time' })
      const isFirst = 'method' in body && body.method === 'initialize'
      const client = isFirst ? clientOfFirst(body) : clientOf(request)
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const call = markedCall(request.call, client, kernel.signIns.behind(request))
      const tools = AGENT_TOOLS.filter(({ acts }) => !acts || mayAct(call))
      const { answerMessage } = await import('./mcp.ts')
      const agent = agentOf(kernel, statements, call, gone.signal)
      const { status, type, text } = await open.during(callerOf(call).id, () =>
        answerMessage(agent, tools, webRequest(request), body),
      )
      if (isFirst) reply.header(SESSION_HEADER, sessionIdOf(client))
      if (type) reply.type(type)
      return reply.status(status).send(text)
    },
  })
  // There is no stream to listen on, and no session to end: the protocol has this answer for it.
  for (const method of ['GET', 'DELETE'] as const)
    kernel.app.route({
      method,
      url: MCP_PATH,
      exposeHeadRoute: false,
      config: {
        access: ['authenticated'],
        challenge,
        summary: `Agents: ${method === 'GET' ? 'a stream' : 'the end of a session'}, which there is none of`,
        answers: 'anything',
      },
      handler: async (_request, reply: FastifyReply) => {
        reply.header('Allow', 'POST')
        throw new AppError(405, 'method_not_allowed', 'Each message is a POST of its own')
      },
    })
}

/** People may do by an agent what they may do; an identity what its scopes say. */
const mayAct = ({ scope }: Call): boolean => !scope || scope.writes.includes('agents') || scope.writes.includes('all')

/** A client says its name once; then its session has it, which gives nothing but that. */
const sessionIdOf = (client: string) => `${randomUUID()}.${Buffer.from(client).toString('base64url')}`

function clientOf({ headers }: FastifyRequest): string {
  const [, name = ''] = String(headers[SESSION_HEADER] ?? '').split('.')
  return clientName(Buffer.from(name.slice(0, 200), 'base64url').toString() || String(headers['user-agent'] ?? ''))
}

function clientOfFirst(body: object): string {
  const { params } = body as { params?: { clientInfo?: { name?: unknown; version?: unknown } } }
  const { name = '', version = '' } = params?.clientInfo ?? {}
  return clientName([name, version].filter((text) => typeof text === 'string' && text).join('/'))
}

/** As the transport reads it; the message itself was read already. */
function webRequest({ headers }: FastifyRequest): Request {
  const named = ['accept', 'content-type', 'mcp-protocol-version'].flatMap((name): [string, string][] =>
    headers[name] ? [[name, String(headers[name])]] : [],
  )
  return new Request(`http://sallyport${MCP_PATH}`, { method: 'POST', headers: named })
}
