import { listSessions, readCommands } from './auditing.ts'
import { listFiles, readFile } from './files.ts'
import { explainAccess, findTargets, listAccounts } from './finding.ts'
import { findRequestable, requestAccess, waitForTicket } from './requesting.ts'
import { findRunbooks, runRunbook } from './runbooks.ts'
import { endRun, runCommand, waitForRun } from './running.ts'
import { endStatement, runStatement, waitForStatement } from './statements.ts'
import type { AgentTool } from './tool.ts'

export type { AgentTool } from './tool.ts'

/** All tools. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  findTargets,
  listAccounts,
  explainAccess,
  findRequestable,
  requestAccess,
  waitForTicket,
  runCommand,
  waitForRun,
  endRun,
  runStatement,
  waitForStatement,
  endStatement,
  listFiles,
  readFile,
  findRunbooks,
  runRunbook,
  listSessions,
  readCommands,
]
