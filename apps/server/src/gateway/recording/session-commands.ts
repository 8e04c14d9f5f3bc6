import { join } from 'node:path'
import type { NewCommand } from '../../domains/terminal/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Journal, type JournalEntry } from '../journal/journal.ts'
import { withRetries } from '../retry.ts'
import type { BegunCommand, CommandLog, EndCommand, StatementEnd } from '../session/command-log.ts'
import { storeCommands } from './store-commands.ts'

/** What the rows of one session have in common. */
type CommandsOf = Omit<NewCommand, 'input' | 'output' | 'timestamp' | 'risk_level'>

const journals = new WeakMap<Kernel, Journal<NewCommand>>()

/** Opens the commands of this node's sessions, and stores what a killed process has left of them. */
export async function openCommands(kernel: Kernel): Promise<void> {
  const journal = await Journal.open<NewCommand>({
    path: join(kernel.config.dataDirectory, 'commands', 'commands.journal'),
    store: (rows) => storeCommands(kernel, rows),
    log: kernel.app.log,
  })
  journals.set(kernel, journal)
}

/** Once no session is left. */
export async function closeCommands(kernel: Kernel): Promise<void> {
  await journals.get(kernel)?.close()
  journals.delete(kernel)
}

/** The commands of one session, as `of` has them but for what each is. */
export function sessionCommands(kernel: Kernel, of: CommandsOf): SessionCommands {
  const journal = journals.get(kernel)
  if (!journal) throw new Error('the journal of commands is closed')
  return new SessionCommands(journal, of)
}

/** The commands of one session, each in the journal as soon as it is known. */
export class SessionCommands implements CommandLog {
  readonly #journal: Journal<NewCommand>
  readonly #of: CommandsOf
  /** Begun and not over. */
  readonly #running = new Set<Promise<JournalEntry<NewCommand> | undefined>>()
  readonly #ending = new Set<Promise<void>>()
  readonly #beginning = new Set<Promise<unknown>>()
  /** Why the first command that is not written down is not. */
  failure: Error | undefined
  onFailure: (error: Error) => void = () => {}

  constructor(journal: Journal<NewCommand>, of: CommandsOf) {
    this.#journal = journal
    this.#of = of
  }

  readonly begin = ({ input, timestamp, by, risk = 0, statement, grounds }: BegunCommand): EndCommand => {
    const row: NewCommand = { ...this.#of, input, timestamp, output: '', risk_level: risk }
    if (statement) row.statement = statement
    if (by) row.user = by.display
    if (grounds) Object.assign(row, { rule: grounds.rule, rule_filter: grounds.filter, ticket: grounds.ticket })
    const begun = this.#journal.begin(row).catch((error: Error) => {
      this.failure ??= error
      this.onFailure(error)
      return undefined
    })
    this.#running.add(begun)
    settling(this.#beginning, begun)
    return (output, ended) => this.#end(begun, output, ended)
  }

  #end(begun: Promise<JournalEntry<NewCommand> | undefined>, output: string, outcome?: StatementEnd): void {
    if (!this.#running.delete(begun)) return
    settling(
      this.#ending,
      begun.then((entry) => entry?.end(outcome ? { output, outcome } : { output })),
    )
  }

  written(): Promise<void> | undefined {
    return this.#beginning.size ? Promise.all(this.#beginning).then(() => {}) : undefined
  }

  /**
   * Ends what still runs, and stores all that is left with a bounded number of attempts; what the
   * database does not take by then it gets later.
   */
  async close(): Promise<void> {
    for (const begun of this.#running) this.#end(begun, '')
    await Promise.all(this.#ending)
    await withRetries(() => this.#journal.stored()).catch(() => {})
  }
}

/** Keeps the work there until it is done; it does not throw. */
function settling<T>(under: Set<Promise<T>>, work: Promise<T>): void {
  under.add(work)
  void work.then(() => under.delete(work))
}
