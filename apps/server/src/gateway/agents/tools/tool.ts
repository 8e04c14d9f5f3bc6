import { z } from 'zod'
import type { Agent } from '../agent.ts'

/** Answer of a tool, and its part of the agent's budget. */
export interface ToolAnswer {
  data: unknown
  /** Rows of lists, logs and databases. */
  rows: number
  /** For an answer that is too large: what the agent needs to go on. */
  handle?: Record<string, unknown>
  /** Called once it is given. */
  onGiven?(): void
}

export interface AgentTool {
  name: string
  title: string
  /** For the model, in English. */
  does: string
  input: z.ZodType
  /** Whether it does something to targets, tickets or runs: an identity that may only read has none of these. */
  acts: boolean
  /** Whether it waits for people, which is no work, or for a run, whose own time counts. */
  isWait?: boolean
  /** Rows that it may answer, of the budget; unless given, one. None: it ends work, for which there is always time. */
  asks?(input: unknown, agent: Agent): number
  work(agent: Agent, input: unknown): Promise<ToolAnswer>
}

/** A tool whose work gets the input as it was checked. */
export function tool<Input extends z.ZodType>(
  of: Omit<AgentTool, 'input' | 'work' | 'asks'> & {
    input: Input
    asks?(input: z.output<Input>, agent: Agent): number
    work(agent: Agent, input: z.output<Input>): Promise<ToolAnswer>
  },
): AgentTool {
  return {
    ...of,
    asks: (input, agent) => of.asks?.(input as z.output<Input>, agent) ?? 1,
    work: (agent, input) => of.work(agent, input as z.output<Input>),
  }
}

/** A line of text, without characters that are no text. */
export const line = (length: number) =>
  z
    .string()
    .max(length)
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed')

export const targetFields = {
  target: z.guid().describe('Id of the target, as find_targets answers it'),
  kind: z.enum(['machine', 'application']).default('machine').describe('Databases and clusters are applications'),
}

/** Rows of a page. */
export const pageRows = ({ limit }: { limit: number }) => limit

/** The field of a question that names a target. */
export const targetQuery = ({ target, kind }: { target: string; kind: 'machine' | 'application' }) =>
  kind === 'machine' ? { asset_id: target } : { application_id: target }

export const pageFields = {
  limit: z.int().min(1).max(100).default(20).describe('Rows at most'),
  offset: z.int().min(0).max(100_000).default(0).describe('Rows to leave out at the beginning'),
}

type Row = Readonly<Record<string, unknown>>

/** A page of a list with some fields of its rows, under the names that tools give them. */
export function page(
  answer: { count: number; results: readonly Row[] },
  fields: Readonly<Record<string, string>>,
): ToolAnswer {
  const rows = answer.results.map((row) => picked(row, fields))
  return { data: { count: answer.count, rows }, rows: rows.length }
}

export const picked = (row: Row, fields: Readonly<Record<string, string>>): Row =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, row[field]]))
