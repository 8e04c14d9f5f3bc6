import type {
  ApplicationCategory,
  ApplicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { jsonb, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { orgId } from '../../kernel/database/columns.ts'

/** What SQL of other domains may read of applications; it has no secrets. */
export const applicationsListedApplication = pgView('applications_listed_application', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  name: text('name').notNull(),
  category: text('category').$type<ApplicationCategory>().notNull(),
  type: text('type').$type<ApplicationType>().notNull(),
  domain: uuid('domain'),
  comment: text('comment').notNull(),
  /** As stored, without passwords. */
  attrs: jsonb('attrs').$type<Record<string, unknown>>().notNull(),
}).existing()
