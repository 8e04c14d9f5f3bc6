import { is } from 'drizzle-orm'
import { PgTransaction } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'

/**
 * Runs several queries: at once on a pool, which has a connection for each; one after the other in
 * a transaction, whose only connection takes one at a time (pg warns of more, and will refuse
 * them).
 */
export async function askAll<T extends readonly unknown[]>(
  db: Database,
  questions: readonly [...{ [K in keyof T]: () => Promise<T[K]> }],
): Promise<T> {
  if (!is(db, PgTransaction)) return (await Promise.all(questions.map((ask) => ask()))) as unknown as T
  const answers: unknown[] = []
  for (const ask of questions) answers.push(await ask())
  return answers as unknown as T
}
