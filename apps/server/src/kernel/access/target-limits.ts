import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { Provided } from '../provided.ts'

/** The targets that a service identity is limited to, whatever is granted to it. */
export interface TargetLimits {
  /**
   * SQL: whether a target of a family is among those that somebody may reach at all: always, but for
   * service identities that are limited to some.
   */
  within(family: TargetFamily, target: SQLWrapper, user: SQLWrapper): SQL<boolean>
}

/** Provided by the domain of authentication; without it nobody is limited. */
export const targetLimits = new Provided<TargetLimits>('target limits', { within: () => sql<boolean>`true` })

/** The resources whose rows are targets. */
const FAMILIES: Readonly<Record<string, TargetFamily>> = { asset: 'asset', application: 'application' }

/** The family of a resource's rows; undefined for rows that are no targets. */
export const familyOfRows = (resource: string): TargetFamily | undefined => FAMILIES[resource]
