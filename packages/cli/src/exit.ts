/** Exit codes (docs/command-line.md#exit-codes). Programs that are started keep their own. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A plan has changes. */
  pending: 2,
  signIn: 3,
  refused: 4,
  notFound: 5,
  rejected: 6,
  late: 7,
  unavailable: 69,
  interrupted: 130,
} as const

export type ExitName = keyof typeof EXIT

/** Ends the command with a sentence for people and an exit code for programs. */
export class Failure extends Error {
  readonly exit: ExitName
  constructor(exit: ExitName, sentence: string) {
    super(sentence)
    this.name = 'Failure'
    this.exit = exit
  }
}
