import type { OrgRole } from '@sallyport/contract/access.ts'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'

export const orgsOrganization = pgTable('orgs_organization', {
  id: id(),
  name: text('name').notNull(),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const orgsMember = pgTable('orgs_member', {
  id: id(),
  org: uuid('org').notNull(),
  user: uuid('user').notNull(),
  role: text('role').notNull().default('User'),
  /** The source that gave it from outside (given.ts). */
  given_by: text('given_by').notNull().default(''),
})

export const orgsInvitation = pgTable('orgs_invitation', {
  id: id(),
  org_id: orgId(),
  user: uuid('user').notNull(),
  roles: text('roles').array().$type<OrgRole[]>().notNull(),
  status: text('status').$type<'pending' | 'declined' | 'withdrawn'>().notNull().default('pending'),
  inviter: uuid('inviter').notNull(),
  /** Name(username), as it was then. */
  invited_by: text('invited_by').notNull(),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})
