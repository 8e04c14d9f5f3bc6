import { and, eq } from 'drizzle-orm'
import type { LinkDifference } from '../../audit/audit.ts'
import { anyOf } from '../conditions.ts'
import { type ManyToMany, nameInCode, type ReadContext, type WriteContext } from '../mount.ts'
import type { MountedResource } from '../registry.ts'

/** A row with the write that it comes from. */
export interface Owner {
  id: unknown
  context: WriteContext
}

/**
 * Stores the lists of ids of rows that were written in one transaction; new ones of the same relation
 * in one statement. Answers by row what it changed.
 */
export async function storeRelations(
  { mount }: MountedResource,
  owners: readonly Owner[],
): Promise<LinkDifference[][]> {
  const differences = owners.map((): LinkDifference[] => [])
  for (const [name, relation] of Object.entries(mount.relations ?? {})) {
    const pairs: Pair[] = []
    for (const [index, { id, context }] of owners.entries()) {
      const wanted = context.draft[name]
      if (!Array.isArray(wanted)) continue
      const { added, removed } = await differenceOf(context, relation, id, wanted)
      differences[index]?.push({ name, added, removed })
      pairs.push(...added.map((target) => ({ owner: id, target })))
    }
    const [first] = owners
    if (first) await addPairs(first.context.db, relation, pairs)
    // New ones first, so that nothing that watches the relation sees it empty in between.
    for (const [index, { id, context }] of owners.entries()) {
      const removed = differences[index]?.find((one) => one.name === name)?.removed ?? []
      if (removed.length)
        await context.db.delete(relation.table).where(and(eq(relation.owner, id), anyOf(relation.target, removed)))
    }
  }
  return differences
}

interface Pair {
  owner: unknown
  target: string
}

async function addPairs(db: ReadContext['db'], { table, owner, target }: ManyToMany, pairs: Pair[]): Promise<void> {
  if (!pairs.length) return
  await db
    .insert(table)
    .values(pairs.map((pair) => ({ [nameInCode(owner)]: pair.owner, [nameInCode(target)]: pair.target })))
    .onConflictDoNothing()
}

async function differenceOf(
  { db, row }: WriteContext,
  { table, owner, target }: ManyToMany,
  ownerId: unknown,
  targetIds: readonly unknown[],
): Promise<{ added: string[]; removed: string[] }> {
  // A new row has no pairs yet; asking would cost an import a query per row.
  const current = row ? await db.select({ id: target }).from(table).where(eq(owner, ownerId)) : []
  const have = new Set(current.map((pair) => String(pair.id)))
  const want = new Set(targetIds.map(String))
  return { added: [...want].filter((id) => !have.has(id)), removed: [...have].filter((id) => !want.has(id)) }
}
