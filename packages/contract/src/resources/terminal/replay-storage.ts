import { type Draft, defineResource, type Row } from '../../define.ts'

export const replayStorage = defineResource({
  name: 'replay_storage',
  path: '/api/v1/terminal/replay-storages/',
  label: 'Replay storage',
  scope: 'global',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy', 'metadata'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'global' },
    type: {
      type: 'choice',
      label: 'Type',
      choices: { null: 'Null', server: 'Server', s3: 'S3', ceph: 'Ceph', swift: 'Swift', oss: 'OSS', azure: 'Azure', obs: 'OBS' },
      default: 'server',
    },
    meta: { type: 'object', label: 'Meta', required: true },
    is_default: { type: 'boolean', label: 'Default storage', default: false },
    comment: { type: 'text', label: 'Comment', default: '' },
  },
  search: ['name', 'type'],
  filters: ['name', 'type', 'is_default'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type ReplayStorage = Row<typeof replayStorage>
export type ReplayStorageDraft = Draft<typeof replayStorage>
