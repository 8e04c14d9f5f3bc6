import { defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import type { HostState } from './command-execution.ts'

/** Versions of a runbook that are kept, as of tasks. */
export const RUNBOOK_VERSIONS = 5

/** Facts about each machine, by the names in steps. */
export const RUNBOOK_FACTS = ['host.name', 'host.ip', 'host.platform'] as const

/**
 * Characters of a value wherever a step names it: nothing that a shell reads as anything but part of
 * one word. Any other value is quoted as one word, where a word may be.
 */
export const RUNBOOK_VALUE = /^(?!-)[\p{L}\p{N}_.,:/@%+=-]*$/u

/** Bytes of a file that a step puts on machines. */
export const RUNBOOK_FILE_MAX = 1024 * 1024

/** Where files that steps put on machines are sent to, and read from by administrators. */
export const RUNBOOK_FILES = '/api/v1/ops/runbook-files/'

/**
 * Commands by name that people run again and again, on machines of their choice, one after the other
 * on each (A2.45). A step names a variable as `{{name}}`, and what is known of the machine as
 * `{{host.name}}`, `{{host.ip}}`, `{{host.platform}}`. A step of another kind puts a file there. Administrators
 * write them; everybody of the organization may run them, where they may run commands at all. Those that
 * name secrets of accounts are run by administrators alone, who may read such secrets.
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
        kind: {
          type: 'choice',
          label: 'Kind of step',
          choices: { command: 'Run a command', file: 'Put a file' },
          default: 'command',
        },
        command: { type: 'text', label: 'Command', default: '', maxLength: 16_384 },
        /** Id of a file that was sent to `RUNBOOK_FILES`. */
        file: { type: 'string', label: 'File', default: '', maxLength: 36 },
        path: {
          type: 'string',
          label: 'Path on the asset',
          default: '',
          maxLength: 512,
          helpText: 'With its name, such as /etc/app/app.conf',
        },
        mode: { type: 'string', label: 'Mode', default: '0644', maxLength: 4, pattern: '^0?[0-7]{3}$' },
        owner: {
          type: 'string',
          label: 'Owner',
          default: '',
          maxLength: 65,
          pattern: '^([a-z_][a-z0-9_-]{0,31}(:[a-z_][a-z0-9_-]{0,31})?)?$',
          helpText: 'user or user:group, which takes root; empty for whoever logs in',
        },
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
        kind: {
          type: 'choice',
          label: 'Kind of variable',
          choices: { value: 'Asked when it runs', secret: 'Password of an account' },
          default: 'value',
        },
        label: { type: 'string', label: 'Question', default: '', maxLength: 128 },
        value: { type: 'string', label: 'Usual value', default: '', maxLength: 512 },
        /** User name on each machine itself; `name@host` is the account of that name on another asset. */
        account: {
          type: 'string',
          label: 'Account',
          default: '',
          maxLength: 256,
          helpText: 'The username on each asset itself; name@asset for that of another asset',
        },
      },
    },
    comment: { type: 'text', label: 'Comment', default: '', maxLength: 1024 },
    /** Counts up whenever steps or variables change. */
    version: { type: 'integer', label: 'Version', readOnly: true },
    created_by: { type: 'string', label: 'Created by', named: true, readOnly: true, nullable: true },
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
  kind?: 'command' | 'file'
  command: string
  file?: string
  path?: string
  mode?: string
  owner?: string
}

export interface RunbookVariable {
  name: string
  kind?: 'value' | 'secret'
  /** What people are asked; empty: its name. */
  label: string
  value: string
  account?: string
}

/** A file as it is listed: its content is not. */
export interface RunbookFile {
  id: string
  name: string
  size: number
  sha256: string
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
  files: RunbookFile[]
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
  /** Files that are put there before the text runs, by the number of their step. */
  files: (RunbookFile & { step: number; path: string; mode: string; owner: string })[]
  /** Accounts whose passwords are variables in the shell of the text. */
  secrets: { name: string; account: string }[]
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
