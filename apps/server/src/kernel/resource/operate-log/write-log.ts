import { displayOf } from '@sallyport/contract/define.ts'
import type { LinkDifference, Operation } from '../../audit/audit.ts'
import type { ReadContext, StoredRow, WriteContext } from '../mount.ts'
import { type MountedResource, resourcesOf } from '../registry.ts'
import { displaysById } from '../related.ts'
import { changeOf, type Difference, differencesOf, isSecret, linkChangeOf, namedLinks } from './changes.ts'

/** A row that was written. */
interface Written {
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
      stored,
      before: row,
      orgId: String(stored.org_id ?? call.org.id),
      differences: differencesOf(resource, draft, row, stored),
      links: links.filter(({ added, removed }) => added.length || removed.length),
    })
  }

  /** Writes the rows of the operate log; to be called in the transaction of the write. */
  async record(resource: MountedResource, context: ReadContext): Promise<void> {
    if (!this.#written.length) return
    const { definition } = resource
    await inWireForm(resource, this.#written, context)
    const nameOf = await namesFor(resource, this.#written, context)
    await context.kernel.audit.record(
      context.db,
      context.call,
      this.#written.map(
        ({ stored, before, orgId, differences, links }): Operation => ({
          action: before ? 'update' : 'create',
          resourceType: definition.label,
          resource: displayOf(definition, stored),
          orgId,
          object: { type: definition.name, id: String(stored.id) },
          changes: [
            ...differences.map((one) => changeOf(one, (id) => nameOf(one.field.to, id))),
            ...links.map((one) => linkChangeOf(one, (id) => nameOf(definition.fields[one.name]?.to, id))),
          ],
        }),
      ),
    )
  }
}

/** Columns that are answered in another form, such as a mask of actions as their names. */
async function inWireForm(
  { mount }: MountedResource,
  written: readonly Written[],
  context: ReadContext,
): Promise<void> {
  for (const { fields, load } of mount.computed ?? []) {
    const differing = written.flatMap(({ before, stored, differences }) =>
      differences
        .filter(({ name, field }) => fields.includes(name) && !isSecret(field))
        .map((difference) => ({ difference, before: before ?? stored, stored })),
    )
    if (!differing.length) continue
    const values = await load(
      differing.flatMap(({ before, stored }) => [before, stored]),
      context,
    )
    for (const [at, { difference, before, stored }] of differing.entries()) {
      difference.before = before === stored ? undefined : values[2 * at]?.[difference.name]
      difference.after = values[2 * at + 1]?.[difference.name]
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
