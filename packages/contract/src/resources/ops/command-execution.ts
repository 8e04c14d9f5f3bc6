import { defineResource, type Row } from '../../define.ts'

/** Longest command of a run, in characters: the guard reads no more. */
export const BATCH_COMMAND_MAX = 64 * 1024
/** Machines of one run. */
export const BATCH_HOSTS_MAX = 1000

/** One command on many machines, by the caller (contract/ops.yaml `command_execution`). */
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
  },
  search: [],
  filters: [],
  ordering: [],
  defaultOrder: ['-date_created'],
})
export type CommandExecution = Row<typeof commandExecution>

/** What became of the command on one machine. */
export type HostState = 'waiting' | 'running' | 'success' | 'failed' | 'skipped'

/** As `GET command-executions/{id}/outcomes/` answers it: equal outputs are told once. */
export interface CommandOutcomes {
  is_finished: boolean
  /** Of the whole run; empty where there is none. */
  error: string
  hosts: {
    asset: string
    name: string
    state: HostState
    /** Exit code. */
    code: number | null
    milliseconds: number | null
    /** Why it was skipped, or failed before the command ran. */
    error: string
    /** Key in `outputs`; empty before there is one. */
    output: string
  }[]
  outputs: Record<string, { stdout: string; stderr: string; is_cut: boolean }>
}
