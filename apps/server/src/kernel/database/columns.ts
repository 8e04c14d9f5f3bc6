import { sql } from 'drizzle-orm'
import { customType, text, timestamp, uuid } from 'drizzle-orm/pg-core'

/**
 * Columns have the names on the wire: one search finds a field in the contract, in SQL and in code.
 */
export const id = () => uuid('id').primaryKey().default(sql`uuidv7()`)
export const orgId = () => uuid('org_id').notNull()
export const createdBy = () => text('created_by')
export const dateTime = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
export const dateCreated = () => dateTime('date_created').notNull().defaultNow()
export const dateUpdated = () =>
  dateTime('date_updated')
    .notNull()
    .defaultNow()
    .$onUpdate(() => new Date())

/** For hashes, and files that every node serves. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

/**
 * A secret sealed by `kernel/secrets`; never select it into an answer. Key rotation finds it by its
 * name (kernel/secrets/sealed-places.ts).
 */
export const sealed = <const Name extends `${string}_sealed`>(name: Name) => bytes(name)

/** Labels joined by dots, see https://www.postgresql.org/docs/18/ltree.html. */
export const ltree = customType<{ data: string; driverData: string }>({ dataType: () => 'ltree' })
