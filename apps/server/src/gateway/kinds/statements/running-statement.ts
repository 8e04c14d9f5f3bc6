import { createHash } from 'node:crypto'
import type { BegunCommand, EndCommand } from '../../session/command-log.ts'
import { STATEMENT_CHARACTERS } from './statement-log.ts'
import type { Outcome, Statement } from './streams.ts'

/**
 * Of a statement, so much is in its command row (contract/gateway.yaml command_parsing.stored);
 * behind it, and in the recording, there is more.
 */
const INPUT_MAX = 128
/** Characters of what came of it, likewise. */
export const OUTPUT_MAX = 1024

/** A statement as its row begins. `place`: where it runs, where that is known; `now`: milliseconds. */
export function statementCommand(
  { text, bytes }: { text: string; bytes: number },
  place: { database: string; program: string } | undefined,
  now: number,
): BegunCommand {
  return {
    input: text.slice(0, INPUT_MAX),
    timestamp: Math.floor(now / 1000),
    ...(place ? { statement: { text: text.slice(0, STATEMENT_CHARACTERS), bytes, ...place } } : {}),
  }
}

/** A statement that was sent on and is not answered yet. */
export interface RunningStatement {
  /** In the recording, from 1. */
  number: number
  /** More of it goes out. */
  hash(bytes: Buffer): void
  /** To be called once. */
  end(outcome: Outcome, outputMax?: number): void
}

/** `end`: see `BeginCommand`; `now`: milliseconds of a clock that nobody sets. */
export function runningStatement({
  number,
  statement,
  end,
  now,
}: {
  number: number
  statement: Statement
  end: EndCommand
  now: () => number
}): RunningStatement {
  const begun = now()
  const hash = createHash('sha256').update(statement.text)
  return {
    number,
    hash: (bytes) => void hash.update(bytes),
    end(outcome, outputMax) {
      const { rows, error, code } = outcome
      const sha256 = hash.digest('hex')
      end(textOf(outcome).slice(0, outputMax), { sha256, milliseconds: now() - begun, rows, error, code })
    },
  }
}

/** In a line, for the commands list and for those who look on. */
export function textOf({ rows, error, reply }: Outcome): string {
  if (error !== undefined) return error
  if (reply !== undefined) return rows === undefined ? reply : `${reply} of ${rows}`
  return rows === undefined ? '' : `${rows} rows`
}
