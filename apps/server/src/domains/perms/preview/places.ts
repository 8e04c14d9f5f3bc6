import { MACHINE_ITSELF } from '@sallyport/contract/forwarding.ts'
import { sql } from 'drizzle-orm'

/**
 * SQL of the places that a permission, alias `p`, leads to beside its targets: the databases of a
 * server, where none are all; or where connections may be forwarded to from a machine, where none are
 * none.
 */
export const PLACES = sql`CASE
  WHEN p.family <> 'asset' THEN p.databases
  WHEN p.forwarding = 'machine' THEN ARRAY[${sql.raw(`'${MACHINE_ITSELF}'`)}]
  WHEN p.forwarding = 'listed' THEN p.forwarding_destinations
  ELSE '{}' END`
