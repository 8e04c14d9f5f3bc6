import type { ClientWire } from './streams.ts'

/**
 * The ways that a server may read a statement besides `text`; see `ClientWire.readAs`. `others`:
 * see `Statement.others`.
 */
export function readingsOf(
  wire: ClientWire,
  text: string,
  others: readonly string[] = [],
): readonly string[] | undefined {
  if (!others.length) return wire.readAs(text)
  const found: string[] = [...others]
  for (const one of [text, ...others]) {
    const read = wire.readAs(one)
    if (!read) return undefined
    found.push(...read)
  }
  return found
}
