import type { ProposalKind, ProposedChange } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import type { REVIEW_STATES } from '@sallyport/contract/resources/reviews/access-review.ts'
import type { Verdict } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { CallUser } from '../../kernel/access/call.ts'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'
import type { StandingFacts } from '../perms/standing/index.ts'

export type ReviewState = keyof typeof REVIEW_STATES

export const reviewsAccessReview = pgTable('reviews_access_review', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  state: text('state').$type<ReviewState>().notNull().default('planned'),
  decided_by: text('decided_by').$type<'reviewers' | 'creators'>().notNull().default('reviewers'),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_end: dateTime('date_end').notNull(),
  undecided: text('undecided').$type<'keep' | 'withdraw'>().notNull().default('keep'),
  months: integer('months').notNull().default(0),
  /** The review that followed by the clock. */
  next: uuid('next'),
  comment: text('comment').notNull().default(''),
  date_ended: dateTime('date_ended'),
  /** The person in whose name the clock acts. */
  author: jsonb('author').$type<Partial<CallUser>>().notNull().default({}),
  sha256: text('sha256').notNull().default(''),
  /** The job that carries it on, while it begins or ends. */
  job: uuid('job'),
  /** The person by whom it ended before its time; empty: the clock, in the author's name. */
  ended_by: jsonb('ended_by').$type<Partial<CallUser & { remote_addr: string }>>().notNull().default({}),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const reviewsReviewer = pgTable(
  'reviews_reviewer',
  { review: uuid('review').notNull(), user: uuid('user').notNull() },
  ({ review, user }) => [primaryKey({ columns: [review, user] })],
)

const permissionPair = () => ({ review: uuid('review').notNull(), permission: uuid('permission').notNull() })
export const reviewsAssetPermission = pgTable('reviews_asset_permission', permissionPair(), (table) => [
  primaryKey({ columns: [table.review, table.permission] }),
])
export const reviewsAppPermission = pgTable('reviews_app_permission', permissionPair(), (table) => [
  primaryKey({ columns: [table.review, table.permission] }),
])

export const reviewsLine = pgTable('reviews_line', {
  id: id(),
  org_id: orgId(),
  review: uuid('review').notNull(),
  permission: uuid('permission').notNull(),
  permission_name: text('permission_name').notNull(),
  family: text('family').$type<TargetFamily>().notNull(),
  subject_kind: text('subject_kind').$type<'user' | 'group'>().notNull(),
  subject: uuid('subject').notNull(),
  subject_name: text('subject_name').notNull(),
  /** People in the group; 1 for a person. */
  members_amount: integer('members_amount').notNull(),
  facts: jsonb('facts').$type<StandingFacts>().notNull(),
  date_expired: dateTime('date_expired').notNull(),
  last_use: dateTime('last_use'),
  /** Sessions in the 90 days before the start. */
  uses: integer('uses').notNull().default(0),
  /** The one person who is asked; null: all reviewers. */
  reviewer: uuid('reviewer'),
  verdict: text('verdict').$type<Verdict>().notNull().default('open'),
  decided_by: text('decided_by').notNull().default(''),
  decided_by_id: uuid('decided_by_id'),
  date_decided: dateTime('date_decided'),
  comment: text('comment').notNull().default(''),
})

/** The record of a review that has ended: JSON, and its signature in base64. */
export const reviewsRecord = pgTable('reviews_record', {
  review: uuid('review').primaryKey(),
  body: text('body').notNull(),
  signature: text('signature').notNull(),
})

/** What use suggests to change, by what was found in which object. */
export const reviewsProposal = pgTable('reviews_proposal', {
  id: id(),
  org_id: orgId(),
  kind: text('kind').$type<ProposalKind>().notNull(),
  /** The name of its resource. */
  object_type: text('object_type').notNull(),
  object_id: uuid('object_id').notNull(),
  object_name: text('object_name').notNull(),
  facts: jsonb('facts').$type<Record<string, unknown>>().notNull(),
  change: jsonb('change').$type<ProposedChange>(),
  state: text('state').$type<'open' | 'applied' | 'dismissed'>().notNull().default('open'),
  reason: text('reason').notNull().default(''),
  decided_by: text('decided_by').notNull().default(''),
  date_decided: dateTime('date_decided'),
  date_found: dateTime('date_found').notNull().defaultNow(),
})

/** When it was looked for proposals last, and when somebody asked for that, by organization. */
export const reviewsLook = pgTable('reviews_look', {
  org_id: uuid('org_id').primaryKey(),
  date_looked: dateTime('date_looked'),
  date_asked: dateTime('date_asked'),
  /** Some are examples, which nobody found. */
  has_samples: boolean('has_samples').notNull().default(false),
})
