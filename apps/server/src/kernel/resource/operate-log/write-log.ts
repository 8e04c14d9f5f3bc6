import { sql } from 'drizzle-orm'
import type { FieldChange, LinkDifference, Operation } from '../../audit/audit.ts'
import type { Database } from '../../database/database.ts'
import type { Kernel } from '../../kernel.ts'
import { anyOf } from '../conditions.ts'
import type { ReadContext, StoredRow, WriteContext } from '../mount.ts'
import { type MountedResource, resourcesOf } from '../registry.ts'
import { displaysById, rowsInWords } from '../related.ts'
import {
  changeOf,
  type Difference,
  differencesOf,
  isSecret,
  lastValues,
  linkChangeOf,
  MAX_ITEMS,
  namedLinks,
} from './changes.ts'

/** A row that was written, or is about to be deleted. */
interface Written {
  action: 'create' | 'update' | 'delete'
  /** As it is stored now; what is deleted, as it was. */
  stored: StoredRow
  before: StoredRow | undefined
  orgId: string
  differences: Difference[]
  links: readonly LinkDifference[]
}

/**
 * Collects what one call writes and records it at its end, so that a list of rows costs one query
 * for all names and one INSERT.
 */
export class WriteLog {
  readonly #written: Written[] = []

  add(
    resource: MountedResource,
    { draft, row, call }: Pick<WriteContext, 'draft' | 'row' | 'call'>,
    stored: StoredRow,
    links: readonly LinkDifference[],
  ): void {
    this.#written.push({
      action: row ? 'update' : 'create',
      stored,
      before: row,
      orgId: String(stored.org_id ?? call.org.id),
      differences: differencesOf(resource, draft, row, stored),
      links: links.filter(({ added, removed }) => added.length || removed.length),
    })
  }

  /** Adds what another one has collected. */
  take(other: WriteLog): void {
    for (const one of other.#written) this.#written.push(one)
  }

  /** Writes the rows of the operate log; to be called in the transaction of the write. */
  async record(resource: MountedResource, context: ReadContext): Promise<void> {
    if (!this.#written.length) return
    const operations = await operationsOf(resource, this.#written, context)
    await context.kernel.audit.record(context.db, context.call, operations)
  }
}

/**
 * Entries of the operate log for rows that are deleted, with all their values but secrets: read
 * before the rows go.
 */
export async function deletionsOf(
  resource: MountedResource,
  rows: readonly StoredRow[],
  context: ReadContext,
): Promise<Operation[]> {
  const links = await lastLinks(resource, rows, context)
  const written = rows.map(
    (row): Written => ({
      action: 'delete',
      stored: row,
      before: row,
      orgId: String(row.org_id ?? context.call.org.id),
      differences: lastValues(resource, row),
      links: links.get(String(row.id)) ?? [],
    }),
  )
  return operationsOf(resource, written, context)
}

async function operationsOf(
  resource: MountedResource,
  written: readonly Written[],
  context: ReadContext,
): Promise<Operation[]> {
  const { definition } = resource
  await inWireForm(resource, written, context)
  const nameOf = await namesFor(resource, written, context)
  const words = await rowsInWords(
    resource,
    written.map(({ stored }) => stored),
    context.db,
  )
  return written.map(({ action, stored, orgId, differences, links }, at) => ({
    action,
    resourceType: definition.label,
    resource: words[at] ?? '',
    orgId,
    object: { type: definition.name, id: String(stored.id) },
    changes: [
      ...differences.map((one) => changeOf(one, (id) => nameOf(one.field.to, id))),
      ...links.map((one) => linkChangeOf(one, (id) => nameOf(definition.fields[one.name]?.to, id))),
    ],
  }))
}

/**
 * A change of links that is written outside of the engine, with the names of the rows at their
 * other end.
 * @param to the name of their resource
 */
export async function namedLinkChange(
  kernel: Kernel,
  db: Database,
  to: string,
  difference: LinkDifference,
): Promise<FieldChange> {
  const target = resourcesOf(kernel).find(to)
  const ids = namedLinks(difference)
  const names = await displaysById(db, target && ids.length ? [{ target, ids }] : [])
  return linkChangeOf(difference, (id) => names.get(to)?.get(id) || id)
}

/** What each row is linked to, by its id: how many, and the first of them. */
async function lastLinks(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  { db }: ReadContext,
): Promise<ReadonlyMap<string, LinkDifference[]>> {
  const links = new Map<string, LinkDifference[]>()
  const owners = rows.map(({ id }) => id)
  for (const [name, { table, owner, target }] of Object.entries(mount.relations ?? {})) {
    if (definition.fields[name]?.readOnly) continue
    const found = await db
      .select({
        owner: sql<string>`${owner}::text`,
        amount: sql<number>`count(*)::int`,
        first: sql<string[]>`(array_agg(${target}::text ORDER BY ${target}))[1:${sql.raw(String(MAX_ITEMS))}]`,
      })
      .from(table)
      .where(anyOf(owner, owners))
      .groupBy(owner)
    for (const { owner: id, amount, first } of found)
      links.set(id, [...(links.get(id) ?? []), { name, added: [], removed: first, removedAmount: amount }])
  }
  return links
}

/** Columns that are answered in another form, such as a mask of actions as their names. */
async function inWireForm(
  { mount }: MountedResource,
  written: readonly Written[],
  context: ReadContext,
): Promise<void> {
  for (const { fields, load } of mount.computed ?? []) {
    const differing = written.flatMap(({ action, before, stored, differences }) =>
      differences
        .filter(({ name, field }) => fields.includes(name) && !isSecret(field))
        .map((difference) => ({ difference, action, before: before ?? stored, stored })),
    )
    if (!differing.length) continue
    const values = await load(
      differing.flatMap(({ before, stored }) => [before, stored]),
      context,
    )
    for (const [at, { difference, action }] of differing.entries()) {
      difference.before = action === 'create' ? undefined : values[2 * at]?.[difference.name]
      difference.after = action === 'delete' ? undefined : values[2 * at + 1]?.[difference.name]
    }
  }
}

/** Names of everything that the changes refer to, in one query; an id where a row is gone. */
async function namesFor(
  { definition }: MountedResource,
  written: readonly Written[],
  { kernel, db }: ReadContext,
): Promise<(to: string | undefined, id: string) => string> {
  const wanted = new Map<string, Set<string>>()
  const want = (to: string | undefined, ids: readonly unknown[]) => {
    if (!to) return
    const known = wanted.get(to) ?? new Set()
    for (const id of ids) if (id !== null && id !== undefined) known.add(String(id))
    wanted.set(to, known)
  }
  for (const { differences, links } of written) {
    for (const { field, before, after } of differences)
      if (field.type === 'ref' && field.by !== 'name') want(field.to, [before, after])
    for (const link of links) want(definition.fields[link.name]?.to, namedLinks(link))
  }
  const asked = [...wanted].flatMap(([to, ids]) => {
    const target = resourcesOf(kernel).find(to)
    return target && ids.size ? [{ target, ids: [...ids] }] : []
  })
  const names = await displaysById(db, asked)
  return (to, id) => (to && names.get(to)?.get(id)) || id
}
