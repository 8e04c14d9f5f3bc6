import { eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Call, isRoot } from '../access/call.ts'

/**
 * Rows of the caller's organization, by their column `org_id`; undefined, which restricts nothing,
 * in the root organization.
 */
export const inOrganization = (call: Call, orgId: PgColumn): SQL | undefined =>
  isRoot(call) ? undefined : eq(orgId, call.org.id)
