import { commandsIn } from '../../../guard/shell/commands-in.ts'

/**
 * Whether what comes to a program without a terminal are commands, which are judged and written down
 * line by line: it is the login shell, or a shell in it reads them (`bash -s`, `cd /srv && sudo sh`).
 * So they are where nobody can say what reads them.
 */
export function readsCommands(program: string | undefined): boolean {
  return program === undefined || commandsIn(program).readsInput
}
