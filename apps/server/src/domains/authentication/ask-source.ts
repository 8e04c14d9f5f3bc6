import type { Kernel } from '../../kernel/kernel.ts'
import type { OutsidePerson } from './outside-people.ts'

/**
 * Asks one outside source about a name and password. Undefined when the source does not know the
 * name or the password is wrong. `keep` notes by what the source knows them, once they are stored.
 */
export type AskSource = (
  kernel: Kernel,
  attempt: { username: string; password: string },
  /**
   * To be called, with the name that the source knows the person by, before the password is tried.
   */
  mayTry: (username: string) => Promise<boolean>,
) => Promise<{ person: OutsidePerson; keep?: (userId: string) => Promise<void> } | undefined>
