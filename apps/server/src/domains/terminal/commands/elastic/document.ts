import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { terminalCommand, terminalStatement } from '../../tables.ts'

export type StoredCommand = typeof terminalCommand.$inferSelect
export type StoredStatement = Omit<typeof terminalStatement.$inferSelect, 'command'>

/** A command as a storage outside has it: its row, and of a statement what belongs to it. */
export type CommandOutside = Omit<StoredCommand, 'due'> & { statement?: StoredStatement | null }

/** The mapping of all texts, so that documents of other gateways are found in the same way. */
const words = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } } as const
const exact = { type: 'keyword' } as const

/**
 * The fields of an index. The first four are the contract's (terminal.yaml, command storages);
 * texts are as a cluster has them by default.
 */
export const PROPERTIES = {
  session: exact,
  org_id: exact,
  '@timestamp': { type: 'date' },
  timestamp: { type: 'long' },
  id: exact,
  user: words,
  asset: words,
  system_user: words,
  input: words,
  output: { type: 'text' },
  risk_level: { type: 'long' },
  rule: exact,
  rule_filter: exact,
  ticket: exact,
  statement: {
    properties: {
      text: { type: 'text' },
      bytes: { type: 'long' },
      sha256: exact,
      milliseconds: { type: 'double' },
      rows: { type: 'long' },
      error: { type: 'text' },
      code: exact,
      database: exact,
      program: exact,
    },
  },
} as const

/** A command as it is written there: the contract's fields, and those of ours that hold something. */
export function documentOf({ statement, ...command }: CommandOutside): Record<string, unknown> {
  const held = Object.entries({ ...command, statement }).filter(([, value]) => value !== null && value !== undefined)
  return { ...Object.fromEntries(held), '@timestamp': new Date(command.timestamp * 1000).toISOString() }
}

/** A found document as a row. What others wrote may lack some of it; without an organization it is Default's. */
export function rowOf(id: string, source: Record<string, unknown>): CommandOutside {
  const text = (name: string) => (typeof source[name] === 'string' ? (source[name] as string) : '')
  const orNull = (name: string) => text(name) || null
  return {
    id,
    org_id: text('org_id') || DEFAULT_ORG_ID,
    user: text('user'),
    asset: text('asset'),
    system_user: text('system_user'),
    input: text('input'),
    output: text('output'),
    session: text('session'),
    risk_level: Number(source.risk_level) || 0,
    rule: orNull('rule'),
    rule_filter: orNull('rule_filter'),
    ticket: orNull('ticket'),
    timestamp: Math.trunc(Number(source.timestamp)) || 0,
    statement: (source.statement as StoredStatement | undefined) ?? null,
  }
}
