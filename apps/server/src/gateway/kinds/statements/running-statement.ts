import { createHash, type Hash, hash } from 'node:crypto'
import type { BegunCommand, EndCommand } from '../../session/command-log.ts'
import { STATEMENT_CHARACTERS } from './statement-log.ts'
import type { Outcome, Statement } from './streams.ts'

/**
 * Limit of a statement in its command row, in characters (docs/rules/gateway.md#command_parsing);
 * the recording has more.
 */
const INPUT_MAX = 128
/** Characters of what came of it, likewise. */
export const OUTPUT_MAX = 1024

/** Place where a statement runs. */
export interface StatementPlace {
  database: string
  program: string
}

/** A statement as its row begins. `place`: where that is known; `now`: milliseconds. */
export function statementCommand(
  { text, bytes }: { text: string; bytes: number },
  place: StatementPlace | undefined,
  now: number,
): BegunCommand {
  const input = text.length > INPUT_MAX ? text.slice(0, INPUT_MAX) : text
  const timestamp = Math.floor(now / 1000)
  if (!place) return { input, timestamp }
  const kept = text.length > STATEMENT_CHARACTERS ? text.slice(0, STATEMENT_CHARACTERS) : text
  const { database, program } = place
  return { input, timestamp, statement: { text: kept, bytes, database, program } }
}

interface RunningParts {
  number: number
  statement: Statement
  /** See `BeginCommand`. */
  end: EndCommand
  /** Milliseconds of a clock that nobody sets. */
  now: () => number
}

/** A statement that was sent on and is not answered yet. */
export class RunningStatement {
  /** In the recording, from 1. */
  readonly number: number
  readonly #parts: RunningParts
  readonly #begun: number
  /** Hash of a statement that is longer than its text. */
  #hash: Hash | undefined

  constructor(parts: RunningParts) {
    this.number = parts.number
    this.#parts = parts
    this.#begun = parts.now()
  }

  /** More of it goes out. */
  hash(bytes: Buffer): void {
    this.#hash ??= createHash('sha256').update(this.#parts.statement.text)
    this.#hash.update(bytes)
  }

  /** To be called once. */
  end(outcome: Outcome, outputMax?: number): void {
    const { statement, end, now } = this.#parts
    const milliseconds = now() - this.#begun
    const { text } = statement
    const known = this.#hash?.digest('hex') ?? (text.length > STATEMENT_CHARACTERS ? hash('sha256', text) : undefined)
    // Many at a time take a fraction of what each takes for itself, and its client waits for none of it.
    const short = known ? '' : text
    end(() => {
      const { rows, error, code } = outcome
      const sha256 = known ?? hash('sha256', short)
      return { output: textOf(outcome).slice(0, outputMax), statement: { sha256, milliseconds, rows, error, code } }
    })
  }
}

/** In a line, for the commands list and for those who look on. */
export function textOf({ rows, error, reply }: Outcome): string {
  if (error !== undefined) return error
  if (reply !== undefined) return rows === undefined ? reply : `${reply} of ${rows}`
  return rows === undefined ? '' : `${rows} rows`
}
