import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'

/** Rows that can be applied for: the view they are in, `t`, and how one is written in a ticket. */
export interface Applied {
  from: SQL
  words: SQL
}

/**
 * How people apply for targets of one family (contract/tickets.yaml `meta_by_type`);
 * `access-request.ts` serves every kind.
 */
export interface RequestKind {
  type: TicketType
  family: TargetFamily
  /**
   * Targets by their field of the permission; in the form they are `apply_<field>`. System users
   * are applied for besides.
   */
  targets: Readonly<Record<string, Applied>>
  /** Said where none of them is chosen. */
  nothingChosen: string
  /** Whether actions are applied for; else everything that the family knows is granted. */
  hasActions: boolean
  /**
   * Fields of the form that are kept and given to the permission as they are, by their field of it.
   */
  also: Readonly<Record<string, string>>
}

export const SYSTEM_USERS: Applied = {
  from: sql`assets_listed_system_user`,
  words: sql`t.name || '(' || CASE WHEN t.username_same_with_user THEN '*' ELSE t.username END || ')'`,
}

const assetRequests: RequestKind = {
  type: 'apply_asset',
  family: 'asset',
  targets: {
    nodes: { from: sql`assets_listed_node`, words: sql`t.full_value` },
    assets: { from: sql`assets_listed_asset`, words: sql`t.hostname || '(' || t.ip || ')'` },
  },
  nothingChosen: 'Choose nodes or assets',
  hasActions: true,
  also: {},
}

const kinds = new Map<string, RequestKind>([[assetRequests.type, assetRequests]])

/** Lets people apply for targets of one more family. */
export function addRequestKind(kind: RequestKind): void {
  kinds.set(kind.type, kind)
}

/**
 * Undefined for types of tickets that ask for no targets, or for none that this installation has.
 */
export const requestKind = (type: string): RequestKind | undefined => kinds.get(type)
