import { invalid } from '../../../kernel/errors/app-error.ts'

interface Writing<Row> {
  /** As it will be stored. */
  draft: object
  row: Row | undefined
  body: object
}

/**
 * Keeps values of a row as they are once it is made. What a body repeats as it stands is no change (of
 * times, the engine has put the stored one there); throws 400 with these words for what it changes.
 */
export function keepFacts<Row extends object>(
  { draft, row, body }: Writing<Row>,
  names: readonly (keyof Row & string)[],
  words: string,
): void {
  if (!row) return
  const sent = draft as Partial<Record<string, unknown>>
  const changed = names.filter((name) => name in body && sent[name] !== row[name])
  if (changed.length) throw invalid(Object.fromEntries(changed.map((name) => [name, words])))
  keepStored(draft, row, names)
}

/** Keeps values of a row as they are, whatever the body says. */
export function keepStored<Row extends object>(draft: object, row: Row, names: readonly (keyof Row & string)[]): void {
  Object.assign(draft, Object.fromEntries(names.map((name) => [name, row[name]])))
}
