import { BY_AGENT } from '../../kernel/access/agent-call.ts'
import { type Call, callerOf, displayName } from '../../kernel/access/call.ts'
import type { SignIn } from '../../kernel/access/sign-in.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Longest name of a client that is kept. */
const CLIENT_LENGTH = 64
/** With the name of a person it fits the columns of all logs. */
const BEHALF_LENGTH = 300

/** The name of a client as logs have it: it says so itself, so it is a claim, and harmless. */
export const clientName = (text: string): string =>
  text
    .replace(/[^\w .()/@+-]+/g, ' ')
    .trim()
    .slice(0, CLIENT_LENGTH) || 'unknown'

/** A call of an agent, with the credential that it came by. */
export interface MarkedCall extends Call {
  signIn: SignIn | undefined
}

/** The caller's call, marked: by agent, for whom, by which client. */
export function markedCall(call: Call, client: string, signIn: SignIn | undefined): MarkedCall {
  const whom = call.onBehalfOf ?? displayName(callerOf(call))
  const end = `${BY_AGENT}${client}`
  return {
    ...call,
    signIn,
    agentSignIn: signIn,
    agent: client,
    onBehalfOf: `${whom.slice(0, BEHALF_LENGTH - end.length)}${end}`,
  }
}

/** An agent, as far as what it has begun outlives its call. */
export interface AgentAtWork {
  kernel: Kernel
  call: MarkedCall
  /** Throws where agents were turned off or the sign-in has ended since: asked before a wait goes on. */
  check(): Promise<void>
}
