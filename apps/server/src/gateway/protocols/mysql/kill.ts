const KILL = /^(\s*kill\s+(?:(?:hard|soft)\s+)?(?:connection\s+|(query)\s+)?)(\d{1,10})(\s*(?:;\s*)?)$/i

/** A statement that ends another connection, or what runs in it. */
export interface Kill {
  isQuery: boolean
  /** The number of the connection. */
  number: number
  /** The same with another number. */
  withNumber(number: number): string
}

/** Undefined for every other statement, and for such as leave it open which connection is meant. */
export function readKill(statement: string): Kill | undefined {
  const found = KILL.exec(statement)
  if (!found) return undefined
  const [, before, query, number, after] = found
  return {
    isQuery: query !== undefined,
    number: Number(number),
    withNumber: (other) => `${before}${other}${after}`,
  }
}
