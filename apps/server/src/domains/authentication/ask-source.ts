import type { Kernel } from '../../kernel/kernel.ts'
import type { OutsidePerson } from './outside-people.ts'

/**
 * Asks one outside source about a name and password. Undefined when the source does not know the
 * name or the password is wrong.
 */
export type AskSource = (
  kernel: Kernel,
  attempt: { username: string; password: string },
  /**
   * To be called, with the name that the source knows the person by, before the password is tried.
   */
  mayTry: (username: string) => Promise<boolean>,
) => Promise<{ person: OutsidePerson } | undefined>
