import type { TargetFamily } from '@sallyport/contract/target.ts'
import { boolean, jsonb, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { orgId } from '../../kernel/database/columns.ts'

/** Everything that permissions of all families are about, in one list. */
export const permsTarget = pgView('perms_target', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  family: text('family').$type<TargetFamily>().notNull(),
  name: text('name').notNull(),
  address: text('address').notNull(),
  /** An asset's platform, or an application's type. */
  kind: text('kind').notNull(),
  /** True for applications. */
  is_active: boolean('is_active').notNull(),
  /** As `ssh/22`; null for applications. */
  protocols: text('protocols').array(),
  /** Null for assets, as the others below. */
  category: text('category'),
  type: text('type'),
  attrs: jsonb('attrs').$type<Record<string, unknown>>(),
}).existing()
