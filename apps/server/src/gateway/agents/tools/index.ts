import { listSessions, readCommands } from './auditing.ts'
import { explainAccess, findTargets, listAccounts } from './finding.ts'
import type { AgentTool } from './tool.ts'

export type { AgentTool, ToolAnswer } from './tool.ts'

/** All tools. */
export const AGENT_TOOLS: readonly AgentTool[] = [findTargets, listAccounts, explainAccess, listSessions, readCommands]
