import { type Draft, defineResource, type Row } from '../../define.ts'

/** Recordings moved from one storage to another by a background task (docs/operate-recordings.md). */
export const recordingMove = defineResource({
  name: 'recording_move',
  path: '/api/v1/terminal/recording-moves/',
  label: 'Move of recordings',
  scope: 'global',
  operations: ['list', 'create', 'retrieve'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{source_display} → {target_display}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    source: { type: 'ref', label: 'From storage', to: 'replay_storage', required: true },
    source_display: { type: 'string', label: 'Name of the storage they leave', readOnly: true },
    target: { type: 'ref', label: 'To storage', to: 'replay_storage', required: true },
    target_display: { type: 'string', label: 'Name of the storage they go to', readOnly: true },
    date_from: { type: 'datetime', label: 'Of sessions from', nullable: true },
    date_to: { type: 'datetime', label: 'Of sessions before', nullable: true },
    rate_limit: {
      type: 'integer',
      label: 'Megabytes per second at most',
      helpText: 'So that sessions keep their part of the network',
      default: 20,
      min: 1,
      max: 1000,
    },
    state: {
      type: 'choice',
      label: 'State',
      choices: { running: 'In progress', stopped: 'Stopped', done: 'Done' },
      readOnly: true,
    },
    reason: { type: 'string', label: 'Reason', nullable: true, readOnly: true },
    amount: { type: 'integer', label: 'Recordings', readOnly: true },
    moved: { type: 'integer', label: 'Moved', readOnly: true },
    failed: { type: 'integer', label: 'Not moved', readOnly: true },
    bytes: { type: 'integer', label: 'Bytes moved', readOnly: true },
    task: { type: 'uuid', label: 'Background task', readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_finished: { type: 'datetime', label: 'Ended', nullable: true, readOnly: true },
  },
  search: [],
  filters: ['source', 'target'],
  ordering: ['date_created'],
  defaultOrder: ['-date_created'],
})
export type RecordingMove = Row<typeof recordingMove>
export type RecordingMoveDraft = Draft<typeof recordingMove>

/** Answer to the question before a move. `complete` is false where the storage holds too many files to count all bytes. */
export interface RecordingAmount {
  recordings: number
  bytes: number
  complete: boolean
}

/** A recording that was not moved, and why. */
export interface RecordingNotMoved {
  session: string
  user: string
  asset: string
  date_start: string
  reason: string
}
