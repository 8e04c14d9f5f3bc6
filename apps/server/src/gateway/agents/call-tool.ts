import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '../../kernel/errors/app-error.ts'
import { translateError } from '../../kernel/errors/translate-error.ts'
import { isSentence, type Language, translate } from '../../kernel/i18n/translate.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { type Agent, RefusedCall } from './agent.ts'
import { Budget } from './budget.ts'
import { fits, framed, marked, readable } from './frame.ts'
import type { AgentTool } from './tools/index.ts'

/** An answer of a tool as the protocol has it. */
interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/**
 * Runs a tool. Refusals are answers that the model reads. Faults are for our log: a client hears only
 * that there was one.
 */
export async function callTool(
  agent: Agent,
  tools: readonly AgentTool[],
  name: string,
  given: unknown,
): Promise<ToolResult> {
  const { language } = agent.call
  const tool = tools.find((one) => one.name === name)
  if (!tool) return refusal(translate(language, NO_TOOL))
  const input = tool.input.safeParse(given)
  if (!input.success)
    return refusal(
      translate(language, BAD_INPUT),
      input.error.issues.slice(0, 10).map(({ path, message }) => ({ field: path.join('.'), message })),
    )
  try {
    return await withinBudget(agent, tool, input.data)
  } catch (thrown) {
    if (thrown instanceof RefusedCall)
      return refusal(translate(language, REFUSED), { status: thrown.status, answer: thrown.body })
    const error = translateError(thrown, language)
    if (error instanceof AppError || error instanceof SessionRefusal) return refusalOf(error, language)
    agent.kernel.app.log.error({ err: error, tool: name }, 'fault')
    throw new McpError(ErrorCode.InternalError, 'Internal error')
  }
}

async function withinBudget(agent: Agent, tool: AgentTool, input: unknown): Promise<ToolResult> {
  const { language } = agent.call
  const budget = await Budget.take(agent, tool, input)
  if ('why' in budget) return refusal(translate(language, budget.why, budget.values))
  let rows = 0
  try {
    const answer = await tool.work(agent, input)
    rows = answer.rows
    const data = readable(answer.data)
    if (!fits(data)) return refusal(translate(language, TOO_LARGE), answer.handle)
    if (!agent.signal.aborted) answer.onGiven?.()
    return { content: [{ type: 'text', text: framed(data) }], structuredContent: marked(data) }
  } finally {
    await budget.spend(rows)
  }
}

/** A constant sentence of ours as it is; words that others had a part in, such as a server's, in the frame. */
function refusalOf(error: AppError | SessionRefusal, language: Language): ToolResult {
  const status = error instanceof AppError ? { status: error.status } : undefined
  const words = translate(language, error.message, error.values)
  if (isSentence(error.message)) return refusal(words, status)
  const fields = error instanceof AppError && error.fields ? { fields: error.fields } : {}
  return refusal(translate(language, REFUSED), { ...status, reason: words, ...fields })
}

/** Our sentence, and details in the frame of data: they may repeat what others wrote. */
function refusal(sentence: string, details?: unknown): ToolResult {
  if (details === undefined)
    return { content: [{ type: 'text', text: sentence }], structuredContent: { refused: sentence }, isError: true }
  const data = readable(details)
  return {
    content: [
      { type: 'text', text: sentence },
      { type: 'text', text: framed(data) },
    ],
    structuredContent: { refused: sentence, ...marked(data) },
    isError: true,
  }
}

const NO_TOOL = 'There is no such tool, or you may only read'
const BAD_INPUT = 'The arguments of the tool cannot be used'
const TOO_LARGE = 'The answer is too large: ask for fewer rows'
const REFUSED = 'Sallyport has refused this'
