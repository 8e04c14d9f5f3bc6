/** More alternatives are not followed: a line that has them is not meant to be read. */
export const MAX_ALTERNATIVES = 16

/**
 * What is known of variables while a line is read. Which of several assignments counts is not
 * followed (branches, subshells, loops): all of them are possible.
 */
export class Variables {
  readonly #values = new Map<string, Set<string>>()
  /** What `$1` and those after it stand for, where the line says so. */
  positional: readonly string[] | undefined
  /** Files that the line makes itself, such as `<(echo ls)`, with what is in them if known. */
  readonly files = new Map<string, string | undefined>()

  assign(name: string, values: readonly string[]): void {
    const known = this.#values.get(name) ?? new Set()
    for (const value of values) if (known.size < MAX_ALTERNATIVES) known.add(value)
    this.#values.set(name, known)
  }

  /** Every value that it may have; undefined when the line does not say. */
  of(name: string): string[] | undefined {
    const values = this.#values.get(name)
    return values && [...values]
  }

  /** At which characters unquoted values are cut into words. */
  get separators(): string {
    return [' \t\n', ...(this.of('IFS') ?? [])].join('')
  }
}
