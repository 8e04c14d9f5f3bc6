import { type AgentUse, addAgentUse } from '../../domains/authentication/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { callerOf } from '../../kernel/access/call.ts'
import type { Agent } from './agent.ts'

const MINUTE_MS = 60_000

/**
 * Takes a call of a tool from the budget of its hour. Answers why there is none left, in English with
 * its values; undefined where the tool may work.
 */
export async function refusalByBudget(
  agent: Agent,
): Promise<{ why: string; values: Record<string, number> } | undefined> {
  const settings = settingsOf(agent.kernel)
  const { calls, rows, milliseconds } = await spend(agent, { calls: 1, rows: 0, milliseconds: 0 })
  const limits = {
    calls: settings.get('SECURITY_AGENT_CALLS'),
    rows: settings.get('SECURITY_AGENT_ROWS'),
    minutes: settings.get('SECURITY_AGENT_MINUTES'),
  }
  if (calls > limits.calls) return { why: CALLS, values: { limit: limits.calls } }
  if (rows >= limits.rows) return { why: ROWS, values: { limit: limits.rows } }
  if (milliseconds >= limits.minutes * MINUTE_MS) return { why: MINUTES, values: { limit: limits.minutes } }
  return undefined
}

/** Counts use; a person's agents have one budget together, on all nodes. */
export const spend = ({ kernel, call }: Agent, use: AgentUse): Promise<AgentUse> =>
  addAgentUse(kernel.db, callerOf(call).id, use)

const CALLS = 'The budget of this hour is used up: {{limit}} calls. Go on in the next hour, and ask for more at a time'
const ROWS = 'The budget of this hour is used up: {{limit}} rows. Go on in the next hour, and ask for less'
const MINUTES = 'The budget of this hour is used up: {{limit}} minutes of work. Go on in the next hour'
