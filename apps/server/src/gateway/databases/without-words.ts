import { DatabaseError } from '../../domains/accounts/index.ts'
import type { StatementRunner } from './statement-runner.ts'

/**
 * Runs a statement that has a secret in it: a server that does not understand a statement repeats it.
 * Throws DatabaseError.
 */
export async function withoutWords(runner: StatementRunner, statement: string): Promise<void> {
  await runner.run(statement).catch((error) => {
    if (!(error instanceof DatabaseError)) throw error
    const isRepeated = /IDENTIFIED|near '/i.test(error.message)
    throw isRepeated ? new DatabaseError(error.kind, 'The server does not understand the statement') : error
  })
}
