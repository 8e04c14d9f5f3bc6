import { randomBytes } from 'node:crypto'
import { and, eq, type SQL } from 'drizzle-orm'
import type { Call, CallOrg, CallUser } from '../kernel/access/call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { columnOf, type ReadContext } from '../kernel/resource/mount.ts'
import { type MountedResource, resourcesOf } from '../kernel/resource/registry.ts'
import { createRow, createRows } from '../kernel/resource/write.ts'

export type Draft = Readonly<Record<string, unknown>>

/** Somebody who calls in an organization, as if by the API. */
export function contextOf(kernel: Kernel, { id, name, username, role }: CallUser, org: CallOrg): ReadContext {
  const call: Call = {
    user: { id, name, username, role },
    via: undefined,
    sessionId: undefined,
    org,
    orgRoles: role === 'Admin' ? ['Admin'] : ['User'],
    language: 'en',
    timeZone: 'UTC',
    remoteAddress: '127.0.0.1',
  }
  return { kernel, db: kernel.db, call, parameters: {}, query: {} }
}

export const resourceNamed = ({ kernel }: ReadContext, name: string): MountedResource => resourcesOf(kernel).get(name)

const inOrg = ({ definition, mount }: MountedResource, { call }: ReadContext): SQL | undefined =>
  definition.scope === 'org' ? eq(columnOf(mount.table, 'org_id'), call.org.id) : undefined

/** The id of the row with these values of the draft, made from it if there is none. */
export async function ensure(
  context: ReadContext,
  name: string,
  key: string | readonly string[],
  draft: Draft,
): Promise<string> {
  const resource = resourceNamed(context, name)
  const { table } = resource.mount
  const [found] = await context.db
    .select({ id: columnOf(table, 'id') })
    .from(table)
    .where(and(...[key].flat().map((one) => eq(columnOf(table, one), draft[one])), inOrg(resource, context)))
    .limit(1)
  return String(found?.id ?? (await createRow(resource, draft, context)).id)
}

/**
 * Ids by the value of `key`, of which each draft has its own; rows that are missing are made in one
 * transaction.
 */
export async function ensureAll(
  context: ReadContext,
  name: string,
  key: string,
  drafts: readonly Draft[],
): Promise<Map<string, string>> {
  const known = await idsBy(context, name, key)
  const missing = drafts.filter((draft) => !known.has(String(draft[key])))
  const made = missing.length ? await createRows(resourceNamed(context, name), missing, context) : []
  for (const [at, row] of made.entries()) known.set(String(missing[at]?.[key]), String(row.id))
  return known
}

/** Ids of an organization's rows by the value of `key`. */
export async function idsBy(context: ReadContext, name: string, key: string): Promise<Map<string, string>> {
  const resource = resourceNamed(context, name)
  const { table } = resource.mount
  const rows = await context.db
    .select({ id: columnOf(table, 'id'), key: columnOf(table, key) })
    .from(table)
    .where(inOrg(resource, context))
  return new Map(rows.map((row) => [String(row.key), String(row.id)]))
}

/** The rows of a list of names; a name that nothing has is a mistake in the demo's data. */
export const namesIn =
  (ids: ReadonlyMap<string, string>) =>
  (names: readonly string[]): string[] =>
    names.map((name) => {
      const id = ids.get(name)
      if (!id) throw new Error(`the demo has no ${name}`)
      return id
    })

/** A secret that nobody knows. */
export const unknownSecret = () => `Demo-${randomBytes(18).toString('base64url')}`
