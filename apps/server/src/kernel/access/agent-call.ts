import { randomUUID } from 'node:crypto'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import { forbidden, notAuthenticated } from '../errors/app-error.ts'
import type { Call } from './call.ts'

/** Mark of an agent in *On behalf of*, before the name of its client. */
export const BY_AGENT = ', by agent '

/** One call that a tool makes for an agent, on the one route that the tool is made of. */
export interface AgentCall {
  /** As the agent was let in. */
  call: Call
  method: string
  /** The route, not an address: no argument of a tool leads to another one. */
  url: string
  /** The caller with their present roles; undefined where they may not sign in any more. */
  now(call: Call): Promise<Call | undefined>
}

/** Names a call to the guard, once: the word is made here and nobody outside can know it. */
export const AGENT_CALL_HEADER = 'x-sallyport-agent-call'

const announced = new Map<string, AgentCall>()

/** Does work with a header by which the guard knows the call. */
export async function announcing<T>(agentCall: AgentCall, work: (header: string) => Promise<T>): Promise<T> {
  const word = randomUUID()
  announced.set(word, agentCall)
  try {
    return await work(word)
  } finally {
    announced.delete(word)
  }
}

/** The agent's call that a request makes; undefined for all that come from outside. */
export function takeAgentCall({ headers }: FastifyRequest): AgentCall | undefined {
  const word = headers[AGENT_CALL_HEADER]
  if (typeof word !== 'string') return undefined
  const found = announced.get(word)
  announced.delete(word)
  return found
}

/** The caller as they are now. Throws 403 on any route but the announced one, and on ways in. */
export async function callerOfAgent(
  { call, method, url, now }: AgentCall,
  { method: asked, routeOptions }: FastifyRequest,
): Promise<Call> {
  const { config } = routeOptions
  if (asked !== method || routeOptions.url !== url || config.opensWayIn) throw forbidden()
  const org = config.rootOrg ? { id: ROOT_ORG_ID, name: '' } : call.org
  const present = await now({ ...call, org })
  if (!present) throw notAuthenticated()
  return present
}
