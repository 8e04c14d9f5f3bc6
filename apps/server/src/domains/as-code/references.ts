import type { Fields } from '@sallyport/contract/define.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { childFields } from './current-rows.ts'
import type { Desired } from './documents.ts'
import { type Form, fieldsOf } from './form.ts'
import { KINDS, type Kind } from './kinds.ts'
import { cleanPath, type Names, type Reference, referencesOf, TOP, withReferences } from './names.ts'

/** The rows that files refer to: those that are there, and those that the same files make. */
export class References {
  readonly #names: Names
  readonly #language: Language
  /** By resource, then by the text in files. */
  readonly #ids = new Map<string, Map<string, readonly string[]>>()
  /** Names of rows that the files have, and of those among them that failed; by resource. */
  readonly #inFiles = new Map<string, ReadonlySet<string>>()
  readonly #failed = new Map<string, Set<string>>()

  constructor(names: Names, rows: ReadonlyMap<Kind, readonly Desired[]>, language: Language) {
    this.#names = names
    this.#language = language
    for (const [{ definition }, desired] of rows)
      this.#inFiles.set(definition.name, new Set(desired.map(({ name }) => name)))
  }

  /** Looks up what these rows refer to. */
  async find(kind: Kind, rows: readonly Desired[]): Promise<void> {
    const wanted = new Map<string, Set<string>>()
    for (const row of rows)
      for (const { to, text } of allOf(kind, row)) {
        if (this.#ids.get(to)?.has(text)) continue
        const texts = wanted.get(to) ?? new Set()
        wanted.set(to, texts.add(text))
      }
    for (const [to, texts] of wanted) {
      const found = await this.#names.ofTexts(to, [...texts])
      const known = this.#ids.get(to) ?? new Map()
      this.#ids.set(to, known)
      for (const text of texts) if (found.has(text)) known.set(text, found.get(text) ?? [])
    }
  }

  isMade({ definition }: Kind, { name }: Desired, id: string): void {
    const known = this.#ids.get(definition.name) ?? new Map()
    this.#ids.set(definition.name, known.set(name, [id]))
  }

  hasFailed({ definition }: Kind, { name }: Desired): void {
    const failed = this.#failed.get(definition.name) ?? new Set()
    this.#failed.set(definition.name, failed.add(name))
  }

  /** Whether a row refers to nothing, or to several; also to what its own files have yet to make. */
  isWrong(kind: Kind, row: Desired): boolean {
    return allOf(kind, row).some((one) => this.#idsOf(one).length !== 1)
  }

  errorsOf(kind: Kind, row: Desired): { field: string; message: string }[] {
    return allOf(kind, row).flatMap((one) => {
      const { length } = this.#idsOf(one)
      if (length === 1) return []
      const { text: name, place: field, to } = one
      const text =
        length > 1
          ? 'Several objects are named "{{name}}": give the id.'
          : this.#failed.get(to)?.has(cleanName(to, name))
            ? '"{{name}}" has errors of its own.'
            : 'There is no "{{name}}" here.'
      return [{ field, message: translate(this.#language, text, { name: name.slice(0, 200) }) }]
    })
  }

  /** The row with ids in the places of names; what has none stays, and is refused. */
  async inIds(fields: Fields, row: Form): Promise<Record<string, unknown>> {
    // Defaults may refer as well, such as the top of the tree.
    const unknown = referencesOf(fields, row).filter((one) => !this.#idsOf(one).length)
    for (const { to, text } of unknown) {
      const known = this.#ids.get(to) ?? new Map()
      this.#ids.set(to, known.set(text, (await this.#names.ofTexts(to, [text])).get(text) ?? []))
    }
    return { ...withReferences(fields, row, (to, text) => this.#idsOf({ to, text, place: '' })[0] ?? text) }
  }

  /**
   * New rows that others of their kind refer to come before those. Calls `inCircle` for such that have no
   * order, and leaves them out.
   */
  inOrder<P extends { desired: Desired; current: unknown }>(
    kind: Kind,
    pairs: readonly P[],
    inCircle: (pair: P) => void,
  ): P[] {
    const { name } = kind.definition
    const made = new Map(pairs.flatMap((pair) => (pair.current ? [] : [[pair.desired.name, pair] as const])))
    const done = new Set<P>()
    const open = new Set<P>()
    const order: P[] = []
    // By hand, not by recursion: chains may be as long as files are.
    for (const first of pairs) {
      const stack: P[] = [first]
      while (stack.length) {
        const pair = stack.at(-1) as P
        if (done.has(pair)) {
          stack.pop()
          continue
        }
        const before = allOf(kind, pair.desired)
          .filter(({ to, text }) => to === name && text !== pair.desired.name)
          .flatMap(({ text }) => made.get(text) ?? [])
          .filter((one) => !done.has(one))
        const next = before.find((one) => !open.has(one))
        if (next && !open.has(pair)) open.add(pair)
        if (next) {
          stack.push(next)
          continue
        }
        stack.pop()
        done.add(pair)
        open.delete(pair)
        if (before.length) inCircle(pair)
        else order.push(pair)
      }
    }
    return order
  }

  #idsOf({ to, text }: Reference): readonly string[] {
    const known = this.#ids.get(to)
    return known?.get(text) ?? known?.get(cleanName(to, text)) ?? []
  }
}

const treeOf = KINDS.find(({ isTree }) => isTree)?.definition.name
const cleanName = (to: string, text: string) =>
  to === treeOf && text !== TOP && !isUuid(text) ? cleanPath(text) : text

function allOf(kind: Kind, { form, children }: Desired): Reference[] {
  const own = referencesOf(fieldsOf(kind), form)
  if (!kind.children) return own
  const { field } = kind.children
  return [...own, ...children.flatMap((child, at) => referencesOf(childFields(kind), child, `${field}.${at}.`))]
}
