import type { Config } from '../../config.ts'
import { wordsOf } from '../../database/database-words.ts'
import { type Outcome, wrong } from '../check.ts'

/** A database that does not answer, as a finding. Never with the password of its address. */
export function databaseOutcome(error: unknown, { databaseUrl }: Pick<Config, 'databaseUrl'>): Outcome {
  const reason = wordsOf(error)
  return wrong(
    (say) => say('The database cannot be reached: {{reason}}', { reason }),
    (say) =>
      databaseUrl
        ? say('Check that PostgreSQL runs, that this machine reaches it, and DATABASE_URL.')
        : say('Restart Sallyport. If it does not come up, the reason is in its log.'),
  )
}
