import { DatabaseError } from '../../domains/accounts/index.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Outcome } from '../kinds/statements/streams.ts'
import type { Link } from '../repl/link.ts'

const STATEMENT_MS = 15_000

/** Runs statements of our own, one at a time, and answers their rows. */
export interface StatementRunner {
  /** Throws DatabaseError: `refused` where the server has refused it for certain. */
  run(statement: string): Promise<string[][]>
  close(): void
}

/**
 * @param isDoubtful whether an error of the server's leaves open what has become of the statement,
 *   such as one that it says while it stops
 */
export async function statementRunner(link: Link, isDoubtful: (code: string) => boolean): Promise<StatementRunner> {
  let isOver = false
  await inTime(
    link.start(() => {
      isOver = true
    }),
    STATEMENT_MS,
    () => new DatabaseError('unreachable', 'No login in time'),
  ).catch((error) => {
    link.close()
    throw error
  })
  return {
    close: () => link.close(),
    async run(statement) {
      const rows: string[][] = []
      let outcome: Outcome | undefined
      const sink = {
        columns() {},
        row: (values: readonly ({ text: string } | undefined)[]) =>
          void rows.push(values.map((value) => value?.text ?? '')),
        message() {},
        done() {},
      }
      const passage = {
        begins: () => undefined,
        forbidden: () => undefined,
        over(result: Outcome) {
          outcome = result
        },
      }
      await inTime(link.run(statement, sink, passage), STATEMENT_MS, () => {
        link.close()
        return new DatabaseError('lost', 'The server did not answer in time')
      })
      const { error, code = '' } = (outcome ?? { error: 'The connection was lost' }) as Outcome
      if (!outcome || isOver) throw new DatabaseError('lost', error ?? 'The connection was lost')
      if (error !== undefined) throw new DatabaseError(isDoubtful(String(code)) ? 'lost' : 'refused', error)
      return rows
    },
  }
}
