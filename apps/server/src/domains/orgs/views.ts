import { pgView, text, uuid } from 'drizzle-orm/pg-core'

/** What SQL of other domains may name of organizations. */
export const orgsListedOrganization = pgView('orgs_listed_organization', {
  id: uuid('id').notNull(),
  name: text('name').notNull(),
}).existing()

/** The members of organizations; one row for each role. */
export const orgsMembership = pgView('orgs_membership', {
  user_id: uuid('user_id').notNull(),
  org_id: uuid('org_id').notNull(),
  role: text('role').notNull(),
  /** The source that gave it from outside; empty where somebody here did. */
  given_by: text('given_by').notNull(),
}).existing()
