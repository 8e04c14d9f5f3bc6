import type { ConnectAgain, StatementOwner } from '../kinds/statements/streams.ts'
import { askWith } from '../repl/ask.ts'
import type { Link } from '../repl/link.ts'
import { completeSql } from '../repl/sql/complete-sql.ts'
import type { WorkbenchDatabase } from './databases.ts'

/** Questions of the page beside the statements that the person runs. */
export type Question =
  | { about: 'schemas' }
  | { about: 'relations'; schema: string }
  | { about: 'columns'; schema: string; relation: string }
  /** Columns of a table of that source; no page asks that itself. */
  | { about: 'table'; table: readonly string[] }
  /** Texts that could follow that one. */
  | { about: 'completion'; before: string; database: string }

/** So many wait for their turn; a page that asks more is not heard. */
const WAITING_MAX = 50
const CONNECT_MS = 20_000
/** Nobody reads it as it comes. */
const NOBODY: StatementOwner = { write: () => true, refuse() {}, tell() {}, close() {} }

/**
 * Asks a server about itself, over a connection of its own: a result that is still read and an open
 * transaction are not disturbed, and nothing that a person wrote goes this way.
 */
export class Questions {
  readonly #database: WorkbenchDatabase
  readonly #again: ConnectAgain
  readonly #permitted: () => readonly string[] | undefined
  #link: Promise<Link> | undefined
  #current = ''
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #isOver = false

  /** `permitted`: the databases of the server that the person may use; undefined: all. */
  constructor(database: WorkbenchDatabase, again: ConnectAgain, permitted: () => readonly string[] | undefined) {
    this.#database = database
    this.#again = again
    this.#permitted = permitted
  }

  /** Rows of names and what is known of them; undefined where too much is asked. Throws what connecting throws. */
  ask(question: Question): Promise<string[][]> | undefined {
    if (this.#waiting >= WAITING_MAX || this.#isOver) return undefined
    this.#waiting++
    const answer = this.#turn.then(() => this.#answer(question)).finally(() => void this.#waiting--)
    this.#turn = answer.catch(() => {})
    return answer
  }

  close(): void {
    this.#isOver = true
    void this.#link?.then((link) => link.close()).catch(() => {})
  }

  async #answer(question: Question): Promise<string[][]> {
    const link = await this.#connected()
    const { catalog, names } = this.#database
    switch (question.about) {
      case 'schemas':
        return this.#permittedOf(await askWith(link, catalog.schemas()))
      case 'relations':
        return askWith(link, catalog.relations(question.schema))
      case 'columns':
        return askWith(link, catalog.columns(question.schema, question.relation))
      case 'table':
        return this.#database.edits ? askWith(link, this.#database.edits.table(question.table)) : []
      case 'completion': {
        await this.#goTo(link, question.database)
        const found = await completeSql(question.before, (text) => askWith(link, text), names)
        return found ? [[String(found.length)], ...found.candidates.map((one) => [one])] : []
      }
    }
  }

  /** Schemas that are of use, where schemas are databases. */
  #permittedOf(schemas: string[][]): string[][] {
    const permitted = this.#database.use ? this.#permitted() : undefined
    return permitted ? schemas.filter(([name = '']) => permitted.includes(name)) : schemas
  }

  /** Names are those of where the person is. */
  async #goTo(link: Link, database: string): Promise<void> {
    const { use } = this.#database
    if (!use || !database || database === this.#current) return
    await askWith(link, use(database))
    this.#current = database
  }

  #connected(): Promise<Link> {
    this.#link ??= this.#connect().catch((error) => {
      this.#link = undefined
      throw error
    })
    return this.#link
  }

  async #connect(): Promise<Link> {
    this.#current = ''
    const link = await this.#database.open((wire) =>
      this.#again({ owner: NOBODY, wire }, AbortSignal.timeout(CONNECT_MS)),
    )
    // The next question opens another in its place.
    await link.start(() => {
      this.#link = undefined
    })
    if (this.#isOver) link.close()
    return link
  }
}
