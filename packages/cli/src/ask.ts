import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as textOfStream } from 'node:stream/consumers'

/** All of the standard input, where it is no terminal. */
export const piped = async (): Promise<string | undefined> =>
  process.stdin.isTTY ? undefined : (await textOfStream(process.stdin)).trim()

/** A line that a person types; undefined where nobody can. */
export async function ask(question: string, hidden = false): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  let isSilent = false
  const output = new Writable({
    write(bytes, _encoding, done) {
      if (!isSilent) process.stderr.write(bytes)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  try {
    const answer = lines.question(question)
    isSilent = hidden
    return (await answer).trim()
  } finally {
    lines.close()
    if (hidden) process.stderr.write('\n')
  }
}
