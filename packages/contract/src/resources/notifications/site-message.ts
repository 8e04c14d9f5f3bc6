import { defineResource, type Row } from '../../define.ts'

/** The caller's inbox (docs/rules/notifications.md#site_message). */
export const siteMessage = defineResource({
  name: 'site_message',
  path: '/api/v1/notifications/site-message/',
  label: 'Site message',
  scope: 'self',
  operations: ['list', 'retrieve'],
  permission: { list: ['authenticated'], write: ['authenticated'] },
  display: '{subject}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    subject: { type: 'string', label: 'Subject', readOnly: true, maxLength: 1024 },
    message: { type: 'text', label: 'Message', readOnly: true },
    has_read: { type: 'boolean', label: 'Read', readOnly: true },
    read_at: { type: 'datetime', label: 'Read at', readOnly: true, nullable: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    sender: { type: 'string', label: 'Sent by', named: true, readOnly: true },
  },
  search: [],
  filters: [{ name: 'has_read', match: 'custom', type: 'boolean' }],
  ordering: [],
  defaultOrder: ['-date_created'],
})
export type SiteMessage = Row<typeof siteMessage>
