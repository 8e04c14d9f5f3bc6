import type { BeginCommand, BegunCommand, CommandLog } from './command-log.ts'

/** Commands in memory, for tests: each once it is over. */
export function collectedCommands(): CommandLog & { over: (BegunCommand & { output: string })[] } {
  const over: (BegunCommand & { output: string })[] = []
  const begin: BeginCommand = (command) => (came) =>
    void over.push({ ...command, output: typeof came === 'string' ? came : came().output })
  return {
    over,
    begin,
    beginTogether: begin,
    write() {},
    isHeldBack: false,
    written: () => undefined,
    onFailure: () => {},
  }
}
