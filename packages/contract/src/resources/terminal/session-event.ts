import { defineResource, type Row } from '../../define.ts'

/** Why a session ended. */
export const END_REASONS = {
  closed: 'Ended by the machine',
  left: 'Closed by the person',
  waited: 'Nobody came back',
  terminated: 'Terminated',
  idle: 'No traffic',
  too_long: 'Longest lifetime reached',
  permission: 'Permission ended',
  signed_out: 'Signed out',
  recording: 'Recording failed',
  shutdown: 'Server stopped',
  denied: 'Command not allowed',
} as const

/** The history of a session. */
export const sessionEvent = defineResource({
  name: 'session_event',
  path: '/api/v1/terminal/session-events/',
  label: 'Session event',
  scope: 'org',
  operations: ['list', 'export'],
  permission: { list: ['org_auditor'], write: ['org_auditor'] },
  display: '{event} {user}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    session: { type: 'ref', label: 'Session', to: 'session', readOnly: true },
    event: {
      type: 'choice',
      label: 'Event',
      choices: {
        detached: 'Connection lost',
        resumed: 'Re-attached',
        locked: 'Input locked',
        unlocked: 'Input unlocked',
        unrecorded: 'Goes on without recording',
        unseen_full_screen: 'Not checked: full-screen program',
        unseen_transfer: 'Not checked: file transfer',
        unseen_no_echo: 'Not checked: input that is not shown',
        exported: 'Rows taken as a file',
        forwarded: 'Connections forwarded',
        ended: 'Ended',
      },
      readOnly: true,
    },
    reason: { type: 'choice', label: 'Reason', choices: END_REASONS, nullable: true, readOnly: true },
    user: { type: 'string', label: 'User', named: true, readOnly: true },
    remote_addr: { type: 'string', label: 'Address', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['user', 'remote_addr'],
  filters: ['session', 'event'],
  ordering: ['date_created'],
  defaultOrder: ['date_created'],
})
export type SessionEvent = Row<typeof sessionEvent>
