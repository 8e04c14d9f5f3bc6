import { defineResource, type Row } from '../../define.ts'

/** Longest command of a run, in characters: the guard reads no more. */
export const BATCH_COMMAND_MAX = 64 * 1024
/** Machines of one run. */
export const BATCH_HOSTS_MAX = 1000

/** One command on many machines, by the caller (docs/rules/ops.md#command_execution). */
export const commandExecution = defineResource({
  name: 'command_execution',
  path: '/api/v1/ops/command-executions/',
  label: 'Batch command',
  scope: 'self',
  operations: ['list', 'create', 'retrieve'],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{command}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    command: { type: 'text', label: 'Command', required: true, maxLength: BATCH_COMMAND_MAX },
    result: { type: 'object', label: 'Result', readOnly: true },
    log_url: { type: 'string', label: 'Log address', readOnly: true },
    is_finished: { type: 'boolean', label: 'Finished', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_finished: { type: 'datetime', label: 'Finished at', readOnly: true, nullable: true },
    run_as: { type: 'ref', label: 'System user', to: 'system_user', required: true },
    hosts: { type: 'refs', label: 'Assets', to: 'asset', required: true, minItems: 1, maxItems: BATCH_HOSTS_MAX },
    /** As it was called then. */
    run_as_display: { type: 'string', label: 'System user name', named: true, readOnly: true },
    /** Machines as they are called now; those that are gone by their name of then. */
    hosts_display: { type: 'strings', label: 'Asset names', readOnly: true },
    /** Steps that it was made of, under their names of that time, with the version. */
    runbook: { type: 'ref', label: 'Runbook', to: 'runbook', readOnly: true, nullable: true },
    runbook_display: { type: 'string', label: 'Runbook name', readOnly: true },
    /** An extension: for whom a service identity or an agent ran it. */
    on_behalf_of: { type: 'string', label: 'On behalf of', named: true, nullable: true, readOnly: true },
    /** How many machines came to what. */
    counts: { type: 'object', label: 'Results', readOnly: true },
  },
  // Everything but what the machines wrote.
  small: [
    'id',
    'command',
    'is_finished',
    'date_created',
    'date_finished',
    'run_as',
    'run_as_display',
    'hosts_display',
    'runbook',
    'runbook_display',
    'on_behalf_of',
    'counts',
  ],
  // Names and outputs of the machines besides.
  search: ['command', 'run_as_display', 'runbook_display'],
  filters: [
    'is_finished',
    'command',
    'runbook',
    { name: 'user__name', match: 'custom', hidden: true },
    { name: 'user__username', match: 'custom', hidden: true },
    { name: 'run_as__name', match: 'custom', hidden: true },
    { name: 'run_as__username', match: 'custom', hidden: true },
    { name: 'date_from', match: 'custom', hidden: true },
    { name: 'date_to', match: 'custom', hidden: true },
  ],
  ordering: ['date_created'],
  defaultOrder: ['-date_created'],
})
export type CommandExecution = Row<typeof commandExecution>

/** What became of the command on one machine; `held`: others are asked to confirm it. */
export type HostState = 'waiting' | 'held' | 'running' | 'success' | 'failed' | 'skipped'

/** How many machines of a run are in each state; states that none is in are left out. */
export type HostCounts = Partial<Record<HostState, number>>

/** As `GET command-executions/{id}/outcomes/` answers it: equal outputs are listed once. */
export interface CommandOutcomes {
  is_finished: boolean
  /** Result of the whole run; empty where there is none. */
  error: string
  hosts: {
    asset: string
    name: string
    state: HostState
    /** Exit code. */
    code: number | null
    milliseconds: number | null
    /** Why it was skipped, or failed before the command ran, or for whom it waits. */
    error: string
    /** Id of the ticket by which others are asked; null where nobody is. */
    ticket: string | null
    /** Key in `outputs`; empty before there is one. */
    output: string
  }[]
  outputs: Record<string, { stdout: string; stderr: string; is_cut: boolean }>
}
