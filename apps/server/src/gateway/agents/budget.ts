import { type AgentUse, addAgentUse } from '../../domains/authentication/index.ts'
import { agentRunMilliseconds } from '../../domains/ops/command-executions/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { callerOf } from '../../kernel/access/call.ts'
import type { Agent } from './agent.ts'
import type { AgentTool } from './tools/index.ts'

const MINUTE_MS = 60_000

/** Why there is nothing left, in English with its values. */
interface NoBudget {
  why: string
  values: Record<string, number>
}

/**
 * A call's part of the budget of its hour, which all agents of a person have together, on all nodes. The
 * rows that it may answer are taken before it works, so that many calls at a time get no more than one
 * after another.
 */
export class Budget {
  readonly #agent: Agent
  readonly #taken: number
  /** Undefined for a tool that waits: the time of runs counts by itself. */
  readonly #begun: number | undefined

  private constructor(agent: Agent, taken: number, begun: number | undefined) {
    this.#agent = agent
    this.#taken = taken
    this.#begun = begun
  }

  static async take(agent: Agent, tool: AgentTool, input: unknown): Promise<Budget | NoBudget> {
    const settings = settingsOf(agent.kernel)
    const asked = tool.asks?.(input, agent) ?? 1
    const { id } = callerOf(agent.call)
    // Asked before anything is taken, which a failure would not give back.
    const ofRuns = asked ? agent.statements.working(id) + (await agentRunMilliseconds(agent.kernel.db, id)) : 0
    const { calls, rows, milliseconds } = await use(agent, { calls: 1, rows: asked, milliseconds: 0 })
    const limits = {
      calls: settings.get('SECURITY_AGENT_CALLS'),
      rows: settings.get('SECURITY_AGENT_ROWS'),
      minutes: settings.get('SECURITY_AGENT_MINUTES'),
    }
    const budget = new Budget(agent, asked, tool.isWait ? undefined : performance.now())
    const refuse = async (why: string, limit: number): Promise<NoBudget> => {
      await use(agent, { calls: 0, rows: -asked, milliseconds: 0 })
      return { why, values: { limit } }
    }
    if (calls > limits.calls) return refuse(CALLS, limits.calls)
    if (rows > limits.rows) return refuse(ROWS, limits.rows)
    if (!asked) return budget
    if (milliseconds + ofRuns >= limits.minutes * MINUTE_MS) return refuse(MINUTES, limits.minutes)
    return budget
  }

  /** Counts what it came to; what was not answered is given back. */
  async spend(rows: number): Promise<void> {
    const milliseconds = this.#begun === undefined ? 0 : performance.now() - this.#begun
    await use(this.#agent, { calls: 0, rows: rows - this.#taken, milliseconds })
  }
}

const use = ({ kernel, call }: Agent, more: AgentUse): Promise<AgentUse> =>
  addAgentUse(kernel.db, callerOf(call).id, more)

const CALLS = 'The budget of this hour is used up: {{limit}} calls. Go on in the next hour, and ask for more at a time'
const ROWS = 'The budget of this hour is used up: {{limit}} rows. Go on in the next hour, and ask for less'
const MINUTES = 'The budget of this hour is used up: {{limit}} minutes of work. Go on in the next hour'
