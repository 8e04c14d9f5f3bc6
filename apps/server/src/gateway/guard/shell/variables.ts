/** More alternatives are not followed: a line that has them is not meant to be read. */
const MAX_ALTERNATIVES = 256

/** The newest alternatives, of which the last is what counts in a plain line; `dropped` is told of others. */
export function newest<T>(alternatives: readonly T[], dropped: () => void): T[] {
  if (alternatives.length > MAX_ALTERNATIVES) dropped()
  return alternatives.slice(-MAX_ALTERNATIVES)
}

/**
 * Each of the first with each of the second; where these are too many, each stands at least in one, which `dropped` is
 * told of.
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
 * What is known of variables while a line is read. Which of several assignments counts is not
 * followed (branches, subshells, loops): all of them are possible.
 */
export class Variables {
  readonly #values = new Map<string, readonly string[]>()
  readonly #incomplete = new Set<string>()
  /** What `$1` and those after it stand for, where the line says so. */
  positional: readonly string[] | undefined
  /** Files that the line makes itself, such as `<(echo ls)`, with what is in them if known. */
  readonly files = new Map<string, string | undefined>()

  assign(name: string, values: readonly string[]): void {
    const before = (this.#values.get(name) ?? []).filter((value) => !values.includes(value))
    const known = newest([...before, ...new Set(values)], () => this.#incomplete.add(name))
    this.#values.set(name, known)
  }

  /** The values that it may have; undefined when the line does not say. */
  of(name: string): readonly string[] | undefined {
    return this.#values.get(name)
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
