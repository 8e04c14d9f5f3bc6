import { fewAtATime } from '../../kernel/few-at-a-time.ts'
import type { Person } from './person.ts'

/**
 * A small part of the connections to the database, and quick enough for a person who opens several
 * tabs.
 */
const AT_ONCE = 4

/**
 * Asks the questions before a session of this person begins, in turn: somebody who opens 250
 * channels at once waits for themselves, and leaves the database to others.
 */
export function askFor<T>({ id }: Pick<Person, 'id'>, question: () => Promise<T>): Promise<T> {
  return fewAtATime(`questions of ${id}`, AT_ONCE, question)
}
