import { AppError } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { type Agent, RefusedCall } from './agent.ts'
import { refusalByBudget, spend } from './budget.ts'
import { fits, framed, marked } from './frame.ts'
import type { AgentTool } from './tools/index.ts'

/** An answer of a tool as the protocol has it. */
interface ToolResult extends Record<string, unknown> {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/** Runs a tool. Refusals are answers that the model reads; only faults of ours are thrown. */
export async function callTool(
  agent: Agent,
  tools: readonly AgentTool[],
  name: string,
  given: unknown,
): Promise<ToolResult> {
  const say = (english: string) => translate(agent.call.language, english)
  const tool = tools.find((one) => one.name === name)
  if (!tool) return refusal(say(NO_TOOL))
  const input = tool.input.safeParse(given)
  if (!input.success)
    return refusal(
      say(BAD_INPUT),
      input.error.issues.slice(0, 10).map(({ path, message }) => ({ field: path.join('.'), message })),
    )
  const noBudget = await refusalByBudget(agent)
  if (noBudget) return refusal(translate(agent.call.language, noBudget.why, noBudget.values))
  const begun = performance.now()
  let rows = 0
  try {
    const { data, rows: answered } = await tool.work(agent, input.data)
    rows = answered
    if (!fits(data)) return refusal(say(TOO_LARGE))
    return { content: [{ type: 'text', text: framed(data) }], structuredContent: marked(data) }
  } catch (error) {
    if (error instanceof RefusedCall) return refusal(say(REFUSED), { status: error.status, answer: error.body })
    if (error instanceof AppError) return refusal(translate(agent.call.language, error.message, error.values))
    throw error
  } finally {
    // To wait for people is no work.
    const milliseconds = tool.isWait ? 0 : performance.now() - begun
    await spend(agent, { calls: 0, rows, milliseconds })
  }
}

/** Our sentence, and details in the frame of data: they may repeat what others wrote. */
function refusal(sentence: string, details?: unknown): ToolResult {
  const more = details === undefined ? [] : [{ type: 'text' as const, text: framed(details) }]
  return {
    content: [{ type: 'text', text: sentence }, ...more],
    structuredContent: { refused: sentence, ...(details === undefined ? {} : marked(details)) },
    isError: true,
  }
}

const NO_TOOL = 'There is no such tool, or you may only read'
const BAD_INPUT = 'The arguments of the tool cannot be used'
const TOO_LARGE = 'The answer is too large: ask for fewer rows'
const REFUSED = 'Sallyport has refused this'
