import type { Field, Fields } from '@sallyport/contract/define.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import { awaitedLater } from '../../kernel/background.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { anyOf, isId, isUuid, scopeOf } from '../../kernel/resource/conditions.ts'
import { columnOf, type ReadContext } from '../../kernel/resource/mount.ts'
import { type MountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { asForm, type Form, fieldsInside, isSet, textOf } from './form.ts'
import { NAMED_BY } from './kinds.ts'

/** A reference in a row: its place, its resource, and the text there. */
export interface Reference {
  place: string
  to: string
  text: string
}

/** The top of the tree in files. */
export const TOP = '/'
const TREE = 'node'

/**
 * Names of rows for ids and ids for names, within the organization of the call. Nodes are paths below
 * the top of the tree, which has another name in each organization.
 */
export class Names {
  readonly #context: ReadContext
  #top: Promise<string> | undefined
  constructor(context: ReadContext) {
    this.#context = context
  }

  /** Names by id. A row that no name tells apart, or that is out of sight, has its id there. */
  async ofIds(to: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const target = this.#target(to)
    const asked = [...new Set(ids)].filter((id) => isId(target.definition, id))
    if (!asked.length) return new Map()
    const rows = await this.#select(target, to, anyOf(columnOf(target.mount.table, 'id'), asked))
    const shared = await this.#sharedNames(
      target,
      to,
      rows.map(({ name }) => name),
    )
    const names = new Map<string, string>()
    for (const { id, name } of rows) {
      const shown = to === TREE ? await this.pathOf(name) : name
      if (shown && !isUuid(shown) && !shared.has(name)) names.set(id, shown)
    }
    return names
  }

  /** Ids by the texts of files: names, paths, or ids themselves. */
  async ofTexts(to: string, texts: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const target = this.#target(to)
    const found = new Map<string, string[]>()
    const put = (text: string, id: string) => {
      const some = found.get(text)
      if (some) some.push(id)
      else found.set(text, [id])
    }
    // No text of the database has such a character.
    const wanted = [...new Set(texts)].filter((text) => !text.includes('\0'))
    const ids = wanted.filter((text) => isUuid(text))
    const spelled = Map.groupBy(ids, (text) => text.toLowerCase())
    if (ids.length)
      for (const { id } of await this.#select(target, to, anyOf(columnOf(target.mount.table, 'id'), ids)))
        for (const text of spelled.get(id) ?? []) put(text, id)
    const stored = new Map<string, string[]>()
    for (const text of wanted)
      if (!isUuid(text)) {
        const name = to === TREE ? await this.storedPath(text) : text
        stored.set(name, [...(stored.get(name) ?? []), text])
      }
    if (!stored.size) return found
    const isNamed = sql`${nameOf(target, to)} = ANY(${sql.param([...stored.keys()])}::text[])`
    for (const { id, name } of await this.#select(target, to, isNamed))
      for (const text of stored.get(name) ?? []) put(text, id)
    return found
  }

  /** `/Default/Web` is `/Web` in files, and `/Default` is `/`. */
  async pathOf(fullValue: string): Promise<string> {
    const top = await this.#topOfTree()
    return fullValue === top ? TOP : fullValue.startsWith(`${top}/`) ? fullValue.slice(top.length) : ''
  }

  async storedPath(path: string): Promise<string> {
    const clean = cleanPath(path)
    const top = await this.#topOfTree()
    return clean === TOP ? top : top + clean
  }

  #topOfTree(): Promise<string> {
    this.#top ??= awaitedLater(this.#findTop())
    return this.#top
  }

  async #findTop(): Promise<string> {
    const target = this.#target(TREE)
    const { table } = target.mount
    const rows = await this.#select(target, TREE, sql`${columnOf(table, 'parent_key')} = ''`)
    const [top] = rows
    if (!top) throw notFound()
    return top.name
  }

  #target(to: string): MountedResource {
    return resourcesOf(this.#context.kernel).get(to)
  }

  async #select(target: MountedResource, to: string, where: SQL): Promise<{ id: string; name: string }[]> {
    const { table } = target.mount
    const scope = scopeOf(target, { ...this.#context, parameters: {}, query: {} })
    return this.#context.db
      .select({ id: sql<string>`${columnOf(table, 'id')}::text`, name: sql<string>`${nameOf(target, to)}` })
      .from(table)
      .where(and(where, scope))
  }

  /** Names of several parts may be made of other parts as well: `a:b` and `c` are `a:b:c`. */
  async #sharedNames(target: MountedResource, to: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    if ((NAMED_BY[to]?.length ?? 0) < 2 || !names.length) return new Set()
    const rows = await this.#select(
      target,
      to,
      sql`${nameOf(target, to)} = ANY(${sql.param([...new Set(names)])}::text[])`,
    )
    const counted = Map.groupBy(rows, ({ name }) => name)
    return new Set([...counted].flatMap(([name, some]) => (some.length > 1 ? [name] : [])))
  }
}

function nameOf({ definition, mount }: MountedResource, to: string): SQL {
  const parts = NAMED_BY[to]
  if (!parts) throw new Error(`files have no name for ${definition.name}`)
  return sql.join(
    parts.map((part) => sql`${columnOf(mount.table, part)}::text`),
    sql` || ':' || `,
  )
}

/** As paths are stored: levels without blanks around them, none empty. */
export function cleanPath(path: string): string {
  const levels = path
    .split('/')
    .map((level) => level.trim())
    .filter(Boolean)
  return `/${levels.join('/')}`
}

/** Whether the field has ids that files write as names. */
const isReference = ({ type, to, by }: Field) => (type === 'ref' || type === 'refs') && to && by !== 'name'

/** All references of a row, also those inside of objects. */
export function referencesOf(fields: Fields, row: Form, at = ''): Reference[] {
  return Object.entries(fields).flatMap(([name, field]): Reference[] => {
    const value = row[name]
    if (value === undefined || value === null || field.readOnly) return []
    const place = at + name
    if (isReference(field)) {
      const to = field.to ?? ''
      if (!Array.isArray(value)) return value === '' ? [] : [{ place, to, text: textOf(value) }]
      return value.map((one, index) => ({ place: `${place}.${index}`, to, text: textOf(one) }))
    }
    const inside = fieldsInside(field, row)
    if (!inside) return []
    if (Array.isArray(value))
      return value.flatMap((one, index) => referencesOf(inside, asForm(one), `${place}.${index}.`))
    return referencesOf(inside, asForm(value), `${place}.`)
  })
}

/** The row with each reference replaced. */
export function withReferences(fields: Fields, row: Form, replace: (to: string, text: string) => string): Form {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]): [string, unknown] => {
      const field = fields[name]
      if (!field || value === null || value === undefined) return [name, value]
      if (isReference(field)) {
        const to = field.to ?? ''
        if (!Array.isArray(value)) return [name, value === '' ? value : replace(to, textOf(value))]
        const replaced = value.map((one) => replace(to, textOf(one)))
        return [name, isSet(field) ? [...new Set(replaced)].toSorted() : replaced]
      }
      const inside = fieldsInside(field, row)
      if (!inside) return [name, value]
      if (Array.isArray(value)) return [name, value.map((one) => withReferences(inside, asForm(one), replace))]
      return [name, withReferences(inside, asForm(value), replace)]
    }),
  )
}
