import { createHash } from 'node:crypto'
import type { EndCommand } from '../../session/command-log.ts'
import type { Outcome, Statement } from './streams.ts'

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
export function textOf({ rows, error }: Outcome): string {
  return error ?? (rows === undefined ? '' : `${rows} rows`)
}
