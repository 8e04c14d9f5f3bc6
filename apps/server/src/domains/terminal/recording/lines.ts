/** Longer than any event of a terminal; a recording with a longer line is not read in pieces. */
const MAX_LINE_BYTES = 8 * 1024 * 1024

export class LineTooLong extends Error {}

/**
 * The lines of a recording, each with its line feed if it has one. Throws LineTooLong instead of
 * using up memory. Lines are bytes, so that a damaged character stays as it is.
 */
export async function* linesOf(source: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const rest = chunk.subarray(from, end + 1)
      yield begun.length ? Buffer.concat([...begun, rest]) : rest
      begun = []
      length = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maxBytes) throw new LineTooLong('the recording has a line without end')
  }
  if (begun.length) yield Buffer.concat(begun)
}
