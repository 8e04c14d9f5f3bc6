import { type SQL, sql } from 'drizzle-orm'
import { type Call, isRoot } from '../../access/call.ts'
import type { Database } from '../../database/database.ts'
import type { Kernel } from '../../kernel.ts'
import type { Page } from '../query.ts'

/** The input of a part of a preview. */
export interface Look {
  /** The transaction that will be rolled back. */
  db: Database
  call: Call
  /** The names that are wanted of each list. */
  page: Page
}

/**
 * A domain's part of the answer. What the write has touched is in the table `preview_change` (kind,
 * id, other, path), for all three.
 */
export interface PreviewPart<First = unknown, Before = unknown> {
  /**
   * Looks at what the write makes, before it is taken back for the first time: for what must be known
   * of it to look at the state before.
   */
  first?(look: Look): Promise<First>
  /** Looks at the state before the write; keeps it in temporary tables or in what it answers. */
  before(look: Look, first: First): Promise<Before>
  /** Looks at the state after it. Temporary tables of `before` are still there. */
  after(look: Look, before: Before): Promise<Readonly<Record<string, unknown>>>
}

// biome-ignore lint/suspicious/noExplicitAny: each part alone knows what it hands to itself
type AnyPart = PreviewPart<any, any>

const parts = new WeakMap<Kernel, AnyPart[]>()

/** The parts of this server. Those that look first also end first: others read what they have found. */
export function previewPartsOf(kernel: Kernel): readonly AnyPart[] {
  return (parts.get(kernel) ?? []).toSorted((one, other) => Number(!one.first) - Number(!other.first))
}

/** Adds a domain's part, at start. */
export function addPreviewPart<First, Before>(kernel: Kernel, part: PreviewPart<First, Before>): void {
  parts.set(kernel, [...(parts.get(kernel) ?? []), part])
}

/** The organization that the answer is about; undefined: all. */
export const orgOfLook = ({ call }: Pick<Look, 'call'>): string | undefined => (isRoot(call) ? undefined : call.org.id)

/** Something that the write touches, by its name. */
interface Touched extends Record<string, unknown> {
  id: string
  name: string
}

/** A page of the rows of a query, which answers `id` and `name`, and how many it has. */
export async function touchedRows(
  { db, page }: Look,
  query: SQL,
): Promise<{ count: number; rows: { id: string; name: string }[] }> {
  const { rows } = await db.execute<Touched & { count: number }>(sql`
    SELECT id, name, count(*) OVER ()::int AS count FROM (${query}) touched ORDER BY name, id
    LIMIT ${page.limit} OFFSET ${page.offset}`)
  return { count: rows[0]?.count ?? 0, rows: rows.map(({ id, name }) => ({ id, name })) }
}
