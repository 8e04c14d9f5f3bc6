import type { Kernel } from '../../kernel/kernel.ts'
import type { OutsidePerson } from './outside-people.ts'

/**
 * Asks one source. Undefined when the password is not right there, or the source does not know the
 * name.
 */
export type AskSource = (
  kernel: Kernel,
  attempt: { username: string; password: string },
  /**
   * Must be asked before the password is tried, with the name that the source knows the person by.
   */
  mayTry: (username: string) => Promise<boolean>,
) => Promise<{ person: OutsidePerson } | undefined>
