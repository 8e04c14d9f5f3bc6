import type { TargetFamily } from '@sallyport/contract/target.ts'
import { pgView, text, uuid } from 'drizzle-orm/pg-core'
import { orgId } from '../../kernel/database/columns.ts'

/** What SQL of other domains may name of permissions. */
export const permsListedPermission = pgView('perms_listed_permission', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  family: text('family').$type<TargetFamily>().notNull(),
  name: text('name').notNull(),
}).existing()
