import { TooMuch } from './reading-limits.ts'

/** More alternatives are not followed: a line that has them is not meant to be read. */
const MAX_ALTERNATIVES = 256

/**
 * The newest alternatives, of which the last counts in a plain line; `dropped` is called when
 * others are left out.
 */
export function newest<T>(alternatives: readonly T[], dropped: () => void): T[] {
  if (alternatives.length > MAX_ALTERNATIVES) dropped()
  return alternatives.slice(-MAX_ALTERNATIVES)
}

/** Longest value that is put together, in characters: it can double with every word. */
const MAX_VALUE = 256 * 1024

/** Throws TooMuch. */
export function joined(text: string, more: string): string {
  if (text.length + more.length > MAX_VALUE) throw new TooMuch()
  return text + more
}

/**
 * Each of the first with each of the second; where these are too many, each is in at least one, and
 * `dropped` is called.
 */
export function combined<A, B>(
  first: readonly A[],
  second: readonly B[],
  join: (one: A, other: B) => A,
  dropped: () => void,
): A[] {
  if (first.length * second.length <= MAX_ALTERNATIVES)
    return first.flatMap((one) => second.map((other) => join(one, other)))
  dropped()
  const [last, rest] = [first.at(-1) as A, second.at(-1) as B]
  const all = [...second.slice(0, -1).map((other) => join(last, other)), ...first.map((one) => join(one, rest))]
  return all.slice(-MAX_ALTERNATIVES)
}

/**
 * Known variables while a line is read. Which of several assignments counts is not followed
 * (branches, subshells, loops): all of them are possible.
 */
export class Variables {
  readonly #values = new Map<string, readonly string[]>()
  /** Elements of arrays, in the order in which they were named. */
  readonly #elements = new Map<string, readonly string[]>()
  /** Variables that refer to another (`declare -n`). */
  readonly #references = new Map<string, string>()
  /** Variables that keep large or small letters alone (`declare -u`, `-l`). */
  readonly #letters = new Map<string, 'toUpperCase' | 'toLowerCase'>()
  readonly #incomplete = new Set<string>()
  /** Values of `$1` and those after it, where the line says so. */
  positional: readonly string[] | undefined
  /** They may have been moved down (`shift`). */
  isShifted = false
  /** Files that the line makes itself, such as `<(echo ls)`, with what is in them if known. */
  readonly files = new Map<string, string | undefined>()

  assign(variable: string, assigned: readonly string[]): void {
    const name = this.#references.get(variable) ?? variable
    const change = this.#letters.get(name)
    const values = change ? assigned.flatMap((value) => [value, value[change]()]) : assigned
    const before = (this.#values.get(name) ?? []).filter((value) => !values.includes(value))
    const known = newest([...before, ...new Set(values)], () => this.#incomplete.add(name))
    this.#values.set(name, known)
  }

  /** The values that it may have; undefined when the line does not say. */
  of(name: string): readonly string[] | undefined {
    return this.#values.get(this.#references.get(name) ?? name)
  }

  /** An array gets these, or one of its elements this. */
  assignElements(name: string, values: readonly string[], index?: string): void {
    const at = index && /^\d{1,3}$/.test(index) ? Number(index) : undefined
    const elements = index === undefined ? [...values] : [...(this.#elements.get(name) ?? [])]
    if (index !== undefined) elements[at ?? elements.length] = values[0] ?? ''
    this.#elements.set(
      name,
      Array.from(elements, (one) => one ?? ''),
    )
    if (elements[0] !== undefined) this.assign(name, [elements[0]])
  }

  /**
   * Possible values of an element of an array, all of them together, or, by a name that is not
   * followed, each of them.
   */
  elementsOf(name: string, index: string): readonly string[] | undefined {
    const elements = this.#elements.get(this.#references.get(name) ?? name)
    if (!elements) return index === '0' ? this.of(name) : undefined
    if (index === '*') return this.#together(elements)
    if (index === '@') return [elements.join(' ')]
    return /^\d+$/.test(index) ? [elements[Number(index)] ?? ''] : elements
  }

  /** Elements behind the first ones. */
  elementsFrom(name: string, from: number, count?: number): readonly string[] | undefined {
    const elements = this.#elements.get(name)
    return elements && [elements.slice(from, count === undefined ? undefined : from + count).join(' ')]
  }

  /** Lets one variable refer to another. */
  refer(name: string, to: string): void {
    this.#references.set(name, to)
  }

  /** It keeps large or small letters alone. */
  keepLetters(name: string, change: 'toUpperCase' | 'toLowerCase'): void {
    this.#letters.set(name, change)
  }

  #together(elements: readonly string[]): string[] {
    return [' ', ...(this.of('IFS') ?? []).map((separators) => separators.slice(0, 1))].map((one) => elements.join(one))
  }

  /** It may have more values than are known. */
  isIncomplete(name: string): boolean {
    return this.#incomplete.has(name)
  }

  /** At which characters unquoted values are cut into words. */
  get separators(): string {
    return [' \t\n', ...(this.of('IFS') ?? [])].join('')
  }
}
