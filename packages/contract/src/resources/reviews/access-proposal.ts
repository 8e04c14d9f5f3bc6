import { defineResource, type Row } from '../../define.ts'

/** The findings of the coach, in the words of a heading. */
export const PROPOSAL_KINDS = {
  unused_permission: 'Permission that nobody used',
  unused_action: 'Action that nobody used',
  idle_person: 'Person without a sign-in',
  used_for_a_while: 'Standing right that was used for a while',
  many_people: 'Assets that many people reach',
} as const
export type ProposalKind = keyof typeof PROPOSAL_KINDS

/** How it stands with a proposal. */
export const PROPOSAL_STATES = { open: 'Open', applied: 'Applied', dismissed: 'Dismissed' } as const

/** Days of use that proposals go by. */
export const COACH_DAYS = 90

/** A call that a proposal would make: the body of a PATCH of one row of a resource. */
export interface ProposedChange {
  resource: 'asset_permission' | 'application_permission' | 'user'
  path: string
  id: string
  body: Readonly<Record<string, unknown>>
}

/** `GET …/proposals/coverage/`: whether there is enough to go by. */
export interface CoachCoverage {
  is_covered: boolean
  /** Days that are looked at, that this installation has been running, and that sessions are kept. */
  days: number
  installed_days: number
  kept_days: number
  /** The rows are examples of the demo, which has no 90 days of use. */
  has_samples: boolean
  /** Somebody asked for a look, which has not ended. */
  is_looking: boolean
  /** When it was looked for proposals last; null: never. */
  date_looked: string | null
  /** Above so many people, assets are named. */
  many_people: number
}

/** What 90 days of use suggest to change. */
export const accessProposal = defineResource({
  name: 'access_proposal',
  path: '/api/v1/reviews/proposals/',
  label: 'Suggestion',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['org_admin'], write: [] },
  display: '{object_name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    kind: { type: 'choice', label: 'Finding', choices: PROPOSAL_KINDS, readOnly: true },
    object_name: { type: 'string', label: 'Found in', readOnly: true, named: true },
    object_type: { type: 'string', label: 'Type of the object', readOnly: true },
    object_id: { type: 'uuid', label: 'ID of the object', readOnly: true },
    facts: { type: 'object', label: 'Facts', readOnly: true },
    change: { type: 'object', label: 'Proposed change', readOnly: true, nullable: true },
    state: { type: 'choice', label: 'State', choices: PROPOSAL_STATES, readOnly: true },
    reason: { type: 'string', label: 'Reason', readOnly: true },
    decided_by: { type: 'string', label: 'Decided by', readOnly: true, named: true },
    date_decided: { type: 'datetime', label: 'Decided at', readOnly: true, nullable: true },
    date_found: { type: 'datetime', label: 'First found', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['object_name'],
  filters: ['kind', 'state'],
  ordering: ['kind', 'object_name', 'date_found', 'date_decided'],
  defaultOrder: ['kind', 'object_name', 'id'],
})
export type AccessProposal = Row<typeof accessProposal>
