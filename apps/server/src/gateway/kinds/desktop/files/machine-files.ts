import type { SharedEntry, SharedFolder } from './shared-folder.ts'

/** The folder of a session as its machine meets it: it asks before it takes or puts anything. */
export interface MachineFiles {
  readonly folder: SharedFolder
  /** Whether what lies there may go to the machine now. Never rejects. */
  mayTake(file: SharedEntry): Promise<boolean>
  /** Whether the machine may put something there now, or change it. Never rejects. */
  mayPut(path: string): Promise<boolean>
}
