import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'

/**
 * Rows that people can apply for: the view that holds them, as `t`, and how a row is written in a
 * ticket.
 */
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
   * Kinds of targets by their field in the permission; the form has them as `apply_<field>`. System
   * users come on top.
   */
  targets: Readonly<Record<string, Applied>>
  /** The message when none of them is chosen. */
  nothingChosen: string
  /** Whether people apply for actions; if not, every action of the family is granted. */
  hasActions: boolean
  /**
   * Further fields of the form, which are copied into the permission, by the permission's field.
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

/** Lets people apply for targets of another family. */
export function addRequestKind(kind: RequestKind): void {
  kinds.set(kind.type, kind)
}

/**
 * Undefined for types of tickets that ask for no targets, and for families that this installation
 * does not have.
 */
export const requestKind = (type: string): RequestKind | undefined => kinds.get(type)
