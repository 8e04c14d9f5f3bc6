import { join } from 'node:path'
import type { NewCommand } from '../../domains/terminal/commands/index.ts'
import { awaitedLater, inBackground } from '../../kernel/background.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { withRetries } from '../../kernel/with-retries.ts'
import { type GatheredEntry, Journal, type JournalEntry, type Shared, sharedBy } from '../journal/journal.ts'
import type { BegunCommand, CommandLog, EndCommand } from '../session/command-log.ts'
import { storeCommands } from './store-commands.ts'

/** Columns that the rows of one session share. */
type CommandsOf = Omit<NewCommand, 'input' | 'output' | 'timestamp' | 'risk_level'>

/** The end of a session waits so long for its commands to be stored. */
const STORED_MS = 15_000

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

/** A command that is not over. */
interface Running {
  entry: JournalEntry<NewCommand> | undefined
  /** It is held back: the entry comes then, if it can be written down. */
  coming?: Promise<JournalEntry<NewCommand> | undefined>
}

/** The commands of one session, each in the journal as soon as it is known. */
export class SessionCommands implements CommandLog {
  readonly #journal: Journal<NewCommand>
  readonly #of: Shared<NewCommand>
  /** Begun and not over. */
  readonly #running = new Set<Running>()
  readonly #ending = new Set<Promise<void>>()
  /** Begun together, and not written. */
  #gathered: GatheredEntry<NewCommand>[] = []
  readonly #heldBack = new Set<Promise<unknown>>()
  /** Why the first command that is not written down is not. */
  failure: Error | undefined
  onFailure: (error: Error) => void = () => {}

  constructor(journal: Journal<NewCommand>, of: CommandsOf) {
    this.#journal = journal
    this.#of = sharedBy<NewCommand>(of)
  }

  readonly begin = (command: BegunCommand): EndCommand => {
    const end = this.beginTogether(command)
    this.write()
    return end
  }

  readonly beginTogether = ({ input, timestamp, by, risk = 0, statement, grounds }: BegunCommand): EndCommand => {
    const own: Partial<NewCommand> = { input, timestamp, output: '', risk_level: risk }
    if (statement) own.statement = statement
    if (by) own.user = by.display
    if (grounds) Object.assign(own, { rule: grounds.rule, rule_filter: grounds.filter, ticket: grounds.ticket })
    const entry = this.#journal.beginTogether(own, this.#of)
    if (entry) this.#gathered.push(entry)
    const running: Running = entry ? { entry } : { entry, coming: awaitedLater(this.#beginLater(own)) }
    this.#running.add(running)
    return (came) => this.#end(running, came)
  }

  write(): void {
    if (!this.#gathered.length) return
    const gathered = this.#gathered
    this.#gathered = []
    this.#journal.write()
    const failed = gathered.find(({ failure }) => failure)?.failure
    if (failed) this.#failed(failed)
  }

  get isHeldBack(): boolean {
    return this.#heldBack.size > 0
  }

  written(): Promise<void> | undefined {
    this.write()
    return this.isHeldBack ? Promise.all(this.#heldBack).then(() => {}) : undefined
  }

  #beginLater(own: Partial<NewCommand>): Promise<JournalEntry<NewCommand> | undefined> {
    const row = { ...this.#of.columns, ...own } as NewCommand
    const coming = this.#journal.begin(row).catch((error: Error) => {
      this.#failed(error)
      return undefined
    })
    settling(this.#heldBack, coming)
    return coming
  }

  #failed(error: Error): void {
    this.failure ??= error
    this.onFailure(error)
  }

  #end(running: Running, came: Parameters<EndCommand>[0]): void {
    if (!this.#running.delete(running)) return
    const { entry, coming } = running
    if (typeof came !== 'string') {
      const soon = (one: JournalEntry<NewCommand> | undefined) =>
        one?.endSoon(() => {
          const { output, statement } = came()
          return { output, outcome: statement }
        })
      if (coming) settling(this.#ending, coming.then(soon))
      else soon(entry)
    } else if (coming)
      settling(
        this.#ending,
        coming.then((one) => one?.end({ output: came })),
      )
    else if (entry) settling(this.#ending, entry.end({ output: came }))
  }

  /**
   * Ends what still runs, and stores all that is left with a bounded number of attempts, in a bounded
   * time: another session's flood may come first. What the database does not take by then it gets later.
   */
  async close(): Promise<void> {
    this.write()
    for (const running of this.#running) this.#end(running, '')
    await Promise.all(this.#ending)
    const stored = withRetries(() => this.#journal.stored())
    await inTime(stored, STORED_MS, () => new Error('the database takes long')).catch(() => {})
  }
}

/** Keeps the work there until it is done; it does not throw. */
function settling<T>(under: Set<Promise<T>>, work: Promise<T>): void {
  under.add(work)
  inBackground(work.then(() => under.delete(work)))
}
