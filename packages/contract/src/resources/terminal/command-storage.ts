import { type Draft, defineResource, type Fields, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/**
 * The fields of a cluster of Elasticsearch or OpenSearch (docs/rules/terminal.md#meta_by_type,
 * A3.23).
 */
export const ELASTICSEARCH_META = {
  HOSTS: { type: 'strings', label: 'Hosts', required: true, minItems: 1, maxItems: 32 },
  INDEX: {
    type: 'string',
    label: 'Index',
    nullable: true,
    maxLength: 200,
    default: 'jumpserver',
    // As the cluster has it: no capitals, and nothing that addresses several indices or another path.
    pattern: '^[a-z0-9][a-z0-9_.-]*$',
  },
  DOC_TYPE: { type: 'string', label: 'Doc type', readOnly: true },
  IGNORE_VERIFY_CERTS: {
    type: 'boolean',
    label: 'Ignore certificate verification',
    helpText: 'Only for a trial: anybody in between could read the commands',
    nullable: true,
    default: false,
  },
  // Other clients write these into a URL of HOSTS: a password must not be read there.
  USERNAME: { type: 'string', label: 'Username', nullable: true, maxLength: 256 },
  PASSWORD: { type: 'string', label: 'Password', nullable: true, maxLength: 1024, writeOnly: true },
  INDEX_BY_DATE: { type: 'boolean', label: 'A new index every day', nullable: true, default: false },
} as const satisfies Fields

/** Where commands are stored (docs/rules/terminal.md#command_storage, A2.42). */
export const commandStorage = defineResource({
  name: 'command_storage',
  path: '/api/v1/terminal/command-storages/',
  label: 'Command storage',
  scope: 'global',
  operations: CRUD,
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'global' },
    type: {
      type: 'choice',
      label: 'Type',
      choices: { null: 'Null', server: 'Server', es: 'Elasticsearch' },
      default: 'server',
    },
    meta: {
      type: 'object',
      label: 'Place',
      required: true,
      shapeBy: 'type',
      shapes: { null: {}, server: {}, es: ELASTICSEARCH_META },
    },
    is_default: { type: 'boolean', label: 'Default storage', default: false },
    comment: { type: 'text', label: 'Comment', default: '' },
    // Commands that are with the server until the storage takes them.
    waiting: { type: 'integer', label: 'Waiting commands', readOnly: true },
  },
  search: ['name', 'type'],
  filters: ['name', 'type', 'is_default', { name: 'real', match: 'custom', hidden: true }],
  ordering: '*',
  defaultOrder: ['name'],
})
export type CommandStorage = Row<typeof commandStorage>
export type CommandStorageDraft = Draft<typeof commandStorage>
