import { type Draft, defineResource, type Row } from '../../define.ts'

/** Kinds of components by their value on the wire. */
export const TERMINAL_TYPES = {
  koko: 'KoKo',
  guacamole: 'Guacamole',
  omnidb: 'OmniDB',
  xrdp: 'Xrdp',
  lion: 'Lion',
  core: 'Core',
  celery: 'Celery',
} as const

export const terminal = defineResource({
  name: 'terminal',
  path: '/api/v1/terminal/terminals/',
  label: 'Terminal',
  scope: 'global',
  operations: ['list', 'retrieve', 'update', 'partial_update', 'destroy', 'bulk_update', 'bulk_destroy'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128 },
    type: { type: 'choice', label: 'type', choices: TERMINAL_TYPES, default: 'koko', readOnly: true },
    remote_addr: { type: 'string', label: 'Address', maxLength: 128 },
    http_port: { type: 'integer', label: 'HTTP port', default: 5000, min: 1, max: 65535 },
    ssh_port: { type: 'integer', label: 'SSH port', default: 2222, min: 1, max: 65535 },
    session_online: { type: 'integer', label: 'Session', readOnly: true },
    command_storage: { type: 'string', label: 'Command storage', required: true, maxLength: 128 },
    replay_storage: { type: 'string', label: 'Replay storage', required: true, maxLength: 128 },
    is_accepted: { type: 'boolean', label: 'Accepted', default: false },
    is_active: { type: 'boolean', label: 'Active', readOnly: true },
    is_alive: { type: 'boolean', label: 'Online', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    comment: { type: 'text', label: 'Comment' },
    status: {
      type: 'choice',
      label: 'Load',
      choices: { critical: 'Critical', high: 'High', normal: 'Normal', offline: 'Offline' },
      readOnly: true,
    },
    status_display: { type: 'string', label: 'State in words', readOnly: true },
    stat: { type: 'object', label: 'Status', readOnly: true, nullable: true },
  },
  search: ['name', 'remote_addr'],
  filters: ['name', 'remote_addr', 'type', { name: 'status', match: 'custom' }],
  ordering: ['name', 'is_accepted', 'date_created'],
  defaultOrder: ['is_accepted', 'name'],
})
export type Terminal = Row<typeof terminal>
export type TerminalDraft = Draft<typeof terminal>
