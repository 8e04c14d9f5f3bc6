import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'
import { DECIDERS } from '../users/deciders.ts'

export const commandFilterRule = defineResource({
  name: 'command_filter_rule',
  path: '/api/v1/assets/cmd-filters/:filter_id/rules/',
  label: 'Command filter rule',
  scope: 'org',
  bearsRights: true,
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{content}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    type: { type: 'choice', label: 'Type', choices: { regex: 'Regex', command: 'Command' }, default: 'command' },
    type_display: { type: 'string', label: 'Type name', readOnly: true },
    content: { type: 'text', label: 'Content', helpText: 'One per line', required: true },
    ignore_case: {
      type: 'boolean',
      label: 'Ignore case',
      helpText: 'Capitals and small letters are the same',
      default: true,
    },
    pattern: { type: 'string', label: 'Pattern', readOnly: true },
    priority: {
      type: 'integer',
      label: 'Priority',
      helpText: 'Smaller numbers come first',
      min: 1,
      max: 100,
      default: 50,
    },
    action: {
      type: 'choice',
      label: 'Action',
      choices: { 0: 'Deny', 2: 'Reconfirm', 9: 'Allow' },
      integer: true,
      default: 0,
    },
    action_display: { type: 'string', label: 'Action name', readOnly: true },
    reviewers: { type: 'refs', label: 'Reviewers', ...DECIDERS },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    comment: { type: 'string', label: 'Comment', maxLength: 64, default: '' },
    created_by: { type: 'string', label: 'Created by', maxLength: 128, default: '' },
    filter: { type: 'ref', label: 'Filter', to: 'command_filter' },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['content'],
  filters: ['content'],
  ordering: '*',
  defaultOrder: ['priority', 'action'],
})
export type CommandFilterRule = Row<typeof commandFilterRule>
export type CommandFilterRuleDraft = Draft<typeof commandFilterRule>
