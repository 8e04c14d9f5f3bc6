import { AGENT_CALL_HEADER, announcing } from '../../kernel/access/agent-call.ts'
import type { Call } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { AGENT_ROUTES, type AgentRoute } from './agent-routes.ts'
import { refuseWhereOver } from './allowed.ts'
import type { AgentAtWork, MarkedCall } from './marked-call.ts'
import type { StatementRuns } from './statement-runs.ts'

/** The parts of a call of the API. */
export interface RouteCall {
  /** Values of the parameters of its address. */
  in?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: unknown
}

/** A refusal of the API, which the agent reads. */
export class RefusedCall extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`refused with ${status}`)
    this.status = status
    this.body = body
  }
}

/** An agent at work: a person or a service identity, by a client. */
export interface Agent extends AgentAtWork {
  /** Aborted when its client has left. */
  signal: AbortSignal
  /** Statements of agents of this node. */
  statements: StatementRuns
  /** Calls the API with the caller's rights. @throws RefusedCall for all that is no success */
  // biome-ignore lint/suspicious/noExplicitAny: tools read answers of every shape
  ask(route: AgentRoute, parts?: RouteCall): Promise<any>
}

export function agentOf(kernel: Kernel, statements: StatementRuns, call: MarkedCall, signal: AbortSignal): Agent {
  const check = () => refuseWhereOver(kernel, call, call.signIn)
  return {
    kernel,
    statements,
    call,
    signal,
    check,
    async ask(route, parts = {}) {
      await check()
      const [method, url] = AGENT_ROUTES[route]
      const agentCall = { call, method, url, now: (of: Call) => kernel.callerNow(of) }
      const answer = await announcing(agentCall, (word) =>
        kernel.app.inject({
          method,
          url: addressOf(url, parts),
          headers: { [AGENT_CALL_HEADER]: word },
          remoteAddress: call.remoteAddress,
          ...(parts.body === undefined ? {} : { payload: parts.body as object }),
        }),
      )
      const body = parsed(answer.body)
      if (answer.statusCode >= 300) throw new RefusedCall(answer.statusCode, body)
      return body
    },
  }
}

function addressOf(url: string, { in: values = {}, query = {} }: RouteCall): string {
  const path = url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return entries.length ? `${path}?${new URLSearchParams(entries)}` : path
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
