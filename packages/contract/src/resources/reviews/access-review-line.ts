import { ACTION_CHOICES } from '../../actions.ts'
import { defineResource, type Row } from '../../define.ts'

/** The fate of a grant. */
export const VERDICTS = {
  open: 'To decide',
  confirmed: 'Confirmed',
  withdrawn: 'Withdrawn',
  gone: 'Had gone already',
  kept: 'Kept without a decision',
  lapsed: 'Withdrawn at the end',
} as const
export type Verdict = keyof typeof VERDICTS

/** Changes of a grant since the review began. */
export const LINE_CHANGES = {
  gone: 'The grant is gone',
  is_active: 'Switched on or off',
  actions: 'Actions',
  date_start: 'Start',
  date_expired: 'End',
  targets: 'Targets',
  nodes: 'Nodes',
  system_users: 'System users',
  databases: 'Databases',
  forwarding: 'Port forwarding',
} as const
export type LineChange = keyof typeof LINE_CHANGES

/**
 * A grant under review: a permission and a person or a group that it names, with its facts as they
 * were when the review began.
 */
export const accessReviewLine = defineResource({
  name: 'access_review_line',
  path: '/api/v1/reviews/access-review-lines/',
  label: 'Grant under review',
  scope: 'org',
  operations: ['list', 'retrieve', 'export'],
  permission: { list: ['org_member'], write: [] },
  display: '{subject_name}: {permission_name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    review: { type: 'ref', label: 'Access review', to: 'access_review', readOnly: true },
    subject_name: { type: 'string', label: 'Person or group', readOnly: true, named: true },
    subject_kind: {
      type: 'choice',
      label: 'Granted to',
      choices: { user: 'Single person', group: 'A user group' },
      readOnly: true,
    },
    subject: { type: 'uuid', label: 'ID of the person or group', readOnly: true },
    members_amount: { type: 'integer', label: 'People', readOnly: true },
    permission_name: { type: 'string', label: 'Permission', readOnly: true },
    permission: { type: 'uuid', label: 'ID of the permission', readOnly: true },
    family: {
      type: 'choice',
      label: 'Kind of targets',
      choices: { asset: 'Assets', application: 'Applications' },
      readOnly: true,
    },
    targets: { type: 'strings', label: 'Targets', readOnly: true },
    targets_amount: { type: 'integer', label: 'Number of targets', readOnly: true },
    nodes: { type: 'strings', label: 'Nodes', readOnly: true },
    nodes_amount: { type: 'integer', label: 'Number of nodes', readOnly: true },
    system_users: { type: 'strings', label: 'System users', readOnly: true },
    actions: { type: 'multichoice', label: 'Actions', choices: ACTION_CHOICES, readOnly: true },
    date_expired: { type: 'datetime', label: 'Expires', readOnly: true },
    last_use: { type: 'datetime', label: 'Last used', readOnly: true, nullable: true },
    uses: { type: 'integer', label: 'Sessions in 90 days', readOnly: true },
    changes: { type: 'multichoice', label: 'Changes since', choices: LINE_CHANGES, readOnly: true },
    reviewer: { type: 'ref', label: 'Reviewer', to: 'user', readOnly: true, nullable: true },
    can_decide: { type: 'boolean', label: 'May be decided by you', readOnly: true },
    verdict: { type: 'choice', label: 'Decision', choices: VERDICTS, readOnly: true },
    decided_by: { type: 'string', label: 'Decided by', readOnly: true, named: true },
    date_decided: { type: 'datetime', label: 'Decided at', readOnly: true, nullable: true },
    comment: { type: 'string', label: 'Comment', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['subject_name', 'permission_name'],
  filters: [
    'review',
    'verdict',
    'subject_kind',
    'family',
    'subject',
    'permission',
    { name: 'mine', match: 'custom', type: 'boolean', label: 'To decide by you' },
    { name: 'unused', match: 'custom', type: 'boolean', label: 'Not used in 90 days' },
  ],
  ordering: ['subject_name', 'permission_name', 'last_use', 'uses', 'date_expired', 'verdict', 'date_decided'],
  defaultOrder: ['subject_name', 'permission_name', 'id'],
})
export type AccessReviewLine = Row<typeof accessReviewLine>
