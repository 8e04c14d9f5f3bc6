import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { REPLAY_STORAGE_LABELS, REPLAY_STORAGE_META } from './replay-storage-types.ts'

/** Where finished recordings are stored (docs/rules/terminal.md#replay_storage, A2.42). */
export const replayStorage = defineResource({
  name: 'replay_storage',
  path: '/api/v1/terminal/replay-storages/',
  label: 'Replay storage',
  scope: 'global',
  operations: CRUD,
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'global' },
    type: { type: 'choice', label: 'Type', choices: REPLAY_STORAGE_LABELS, default: 'server' },
    meta: {
      type: 'object',
      label: 'Place',
      required: true,
      shapeBy: 'type',
      shapes: REPLAY_STORAGE_META,
    },
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
