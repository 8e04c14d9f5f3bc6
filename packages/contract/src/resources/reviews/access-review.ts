import type { ActionName } from '../../actions.ts'
import { type Draft, defineResource, type Row } from '../../define.ts'
import { DECIDERS } from '../users/deciders.ts'
import type { Verdict } from './access-review-line.ts'

/** A review begins and ends in the background: what it is made of may be much. */
export const REVIEW_STATES = {
  planned: 'Planned',
  beginning: 'Beginning',
  open: 'Under review',
  ending: 'Ending',
  ended: 'Ended',
} as const

export const accessReview = defineResource({
  name: 'access_review',
  path: '/api/v1/reviews/access-reviews/',
  label: 'Access review',
  scope: 'org',
  operations: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy'],
  // People who are no auditors see the reviews in which they decide.
  permission: { list: ['org_member'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128 },
    state: { type: 'choice', label: 'State', choices: REVIEW_STATES, readOnly: true },
    asset_permissions: {
      type: 'refs',
      label: 'Asset permissions',
      to: 'asset_permission',
      helpText: 'Without any permission, everything that is granted in the organization is reviewed',
    },
    app_permissions: { type: 'refs', label: 'Application permissions', to: 'application_permission' },
    decided_by: {
      type: 'choice',
      label: 'Who decides',
      choices: { reviewers: 'The reviewers', creators: 'The creators of the permissions' },
      default: 'reviewers',
      helpText: 'Grants of permissions whose creator has left are decided by the reviewers',
    },
    reviewers: {
      type: 'refs',
      label: 'Reviewers',
      ...DECIDERS,
      maxItems: 100,
      helpText: 'Without reviewers, the administrators of the organization decide',
    },
    date_start: { type: 'datetime', label: 'Starts', default: 'now' },
    date_end: { type: 'datetime', label: 'Ends', default: 'now+14' },
    undecided: {
      type: 'choice',
      label: 'Grants without a decision',
      choices: { keep: 'Stay, and are reported', withdraw: 'Are withdrawn at the end' },
      default: 'keep',
    },
    months: {
      type: 'choice',
      label: 'Repeated',
      choices: { 0: 'Not repeated', 1: 'Every month', 3: 'Every 3 months', 6: 'Every 6 months', 12: 'Every year' },
      integer: true,
      default: 0,
    },
    comment: { type: 'text', label: 'Comment' },
    lines_amount: { type: 'integer', label: 'Grants', readOnly: true },
    open_amount: { type: 'integer', label: 'To decide', readOnly: true },
    own_amount: { type: 'integer', label: 'To decide by you', readOnly: true },
    confirmed_amount: { type: 'integer', label: 'Confirmed', readOnly: true },
    withdrawn_amount: { type: 'integer', label: 'Withdrawn', readOnly: true },
    date_ended: { type: 'datetime', label: 'Ended at', readOnly: true, nullable: true },
    sha256: { type: 'string', label: 'SHA-256 of the record', readOnly: true },
    created_by: { type: 'string', label: 'Created by', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'comment'],
  filters: ['name', 'state', { name: 'mine', match: 'custom', type: 'boolean', label: 'To decide by you' }],
  ordering: ['name', 'state', 'date_start', 'date_end', 'date_created'],
  defaultOrder: ['-date_start', '-id'],
})
export type AccessReview = Row<typeof accessReview>
export type AccessReviewDraft = Draft<typeof accessReview>

/** Names of what a grant gives, the first of so many. */
interface RecordedNames {
  names: readonly string[]
  amount: number
}

/** A grant in the record, as it was at the start, and what was decided about it. */
export interface RecordedLine {
  id: string
  permission: string
  permission_name: string
  subject_kind: 'user' | 'group'
  subject: string
  subject_name: string
  members_amount: number
  actions: readonly ActionName[]
  targets: RecordedNames
  nodes: RecordedNames
  system_users: RecordedNames
  last_use: string | null
  uses: number
  verdict: Verdict
  decided_by: string
  date_decided: string | null
  comment: string
}

/** `body` of `GET …/:id/record/`, as it was signed. */
export interface ReviewRecord {
  id: string
  name: string
  comment: string
  organization: { id: string; name: string }
  author: string
  reviewers: readonly string[]
  decided_by: 'reviewers' | 'creators'
  undecided: 'keep' | 'withdraw'
  date_start: string
  date_end: string
  date_ended: string
  ended_by: string
  totals: Partial<Record<Verdict, number>>
  lines: readonly RecordedLine[]
}
