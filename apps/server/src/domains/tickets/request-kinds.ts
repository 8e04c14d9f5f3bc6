import type { FieldErrors } from '@sallyport/contract/errors.ts'
import {
  APPLICATION_CATEGORIES,
  APPLICATION_TYPE_LABELS,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
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
  /** Condition: rows that fit the rest of the form; others are dropped. */
  fitting?(meta: Readonly<Record<string, unknown>>): SQL
}

/**
 * How people apply for targets of one family (docs/rules/tickets.md#meta_by_type);
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
   * Further choices of the form, which are copied into the permission: the permission's field and
   * the labels by field of the form.
   */
  also: Readonly<Record<string, { field: string; labels: Readonly<Record<string, string>> }>>
  /** Faults of those, by field of the form. */
  check?(meta: Readonly<Record<string, unknown>>): FieldErrors
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

const applicationRequests: RequestKind = {
  type: 'apply_application',
  family: 'application',
  targets: {
    applications: {
      from: sql`applications_listed_application`,
      words: sql`t.name || '(' || t.type || ')'`,
      fitting: ({ apply_type }) => sql`t.type = ${String(apply_type)}`,
    },
  },
  nothingChosen: 'Choose applications of the type',
  hasActions: false,
  also: {
    apply_category: { field: 'category', labels: APPLICATION_CATEGORIES },
    apply_type: { field: 'type', labels: APPLICATION_TYPE_LABELS },
  },
  check({ apply_category, apply_type }): FieldErrors {
    const info = applicationType(apply_type)
    if (!info) return { apply_type: ['This field may not be null.'] }
    return info.category === apply_category ? {} : { apply_category: ['The type belongs to another category'] }
  },
}

const KINDS: ReadonlyMap<string, RequestKind> = new Map(
  [assetRequests, applicationRequests].map((kind) => [kind.type, kind]),
)

/** Undefined for types of tickets that ask for no targets. */
export const requestKind = (type: string): RequestKind | undefined => KINDS.get(type)
