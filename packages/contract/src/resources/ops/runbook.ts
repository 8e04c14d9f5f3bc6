import { defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import type { HostState } from './command-execution.ts'

/** Versions of a runbook that are kept, as of tasks. */
export const RUNBOOK_VERSIONS = 5

/** What is known of each machine, as steps name it. */
export const RUNBOOK_FACTS = ['host.name', 'host.ip', 'host.platform'] as const

/**
 * What a value may hold wherever a step names it: nothing that a shell reads as anything but part of
 * one word. Any other value is quoted as one word, where a word may stand.
 */
export const RUNBOOK_VALUE = /^(?!-)[\p{L}\p{N}_.,:/@%+=-]*$/u

/**
 * Commands by name that people run again and again, on machines of their choice, one after the other
 * on each (spec A2.45). A step names a variable as `{{name}}`, and what is known of the machine as
 * `{{host.name}}`, `{{host.ip}}`, `{{host.platform}}`. Administrators write them; everybody of the
 * organisation may run them, where they may run commands at all.
 */
export const runbook = defineResource({
  name: 'runbook',
  path: '/api/v1/ops/runbooks/',
  label: 'Runbook',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_member'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    steps: {
      type: 'list',
      label: 'Steps',
      required: true,
      minItems: 1,
      maxItems: 50,
      fields: {
        name: { type: 'string', label: 'Name', required: true, maxLength: 128 },
        command: { type: 'text', label: 'Command', required: true, maxLength: 16_384 },
      },
    },
    variables: {
      type: 'list',
      label: 'Variables',
      default: [],
      maxItems: 20,
      fields: {
        name: {
          type: 'string',
          label: 'Name',
          required: true,
          maxLength: 32,
          pattern: '^[a-z][a-z0-9_]*$',
          helpText: 'Small letters, digits and _',
        },
        label: { type: 'string', label: 'Question', default: '', maxLength: 128 },
        value: { type: 'string', label: 'Usual value', default: '', maxLength: 512 },
      },
    },
    comment: { type: 'text', label: 'Comment', default: '', maxLength: 1024 },
    /** Counts up whenever steps or variables change. */
    version: { type: 'integer', label: 'Version', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true, nullable: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name', 'comment'],
  filters: ['name'],
  ordering: ['name', 'date_created', 'date_updated'],
  defaultOrder: ['name'],
})

export interface RunbookStep {
  name: string
  command: string
}

export interface RunbookVariable {
  name: string
  /** What people are asked; empty: its name. */
  label: string
  value: string
}

export type Runbook = Omit<Row<typeof runbook>, 'steps' | 'variables'> & {
  steps: RunbookStep[]
  variables: RunbookVariable[]
}

/** As `GET runbooks/{id}/versions/` lists them, newest first. */
export interface RunbookVersion {
  version: number
  steps: RunbookStep[]
  variables: RunbookVariable[]
  created_by: string | null
  date_created: string
}

/** What `POST runbooks/{id}/preview/` and `…/run/` take. */
export interface RunbookRun {
  hosts: string[]
  run_as: string
  /** By variable; those that are missing have their usual value. */
  values: Record<string, string>
  /** Refused where it is another one by now. */
  version?: number
}

/** What would happen: which text would run on which machines, and what the command rules say of it. */
export interface RunbookPreview {
  version: number
  run_as_display: string
  commands: {
    command: string
    hosts: {
      asset: string
      name: string
      /** `waiting`: it would run. `held`: others would be asked. `skipped`: it is refused. */
      state: Extract<HostState, 'waiting' | 'held' | 'skipped'>
      reason: string
    }[]
  }[]
}
