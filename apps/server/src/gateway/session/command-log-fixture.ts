import type { BegunCommand, CommandLog } from './command-log.ts'

/** Commands in memory, for tests: each once it is over. */
export function collectedCommands(): CommandLog & { over: (BegunCommand & { output: string })[] } {
  const over: (BegunCommand & { output: string })[] = []
  return {
    over,
    begin: (command) => (output) => void over.push({ ...command, output }),
    written: () => undefined,
    onFailure: () => {},
  }
}
