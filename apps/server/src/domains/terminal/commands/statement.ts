import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import { type Call, isRoot } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid } from '../../../kernel/resource/conditions.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { terminalCommand, terminalStatement } from '../tables.ts'
import { commandsOutside } from './command-source.ts'
import type { CommandOutside, StoredStatement } from './elastic/document.ts'

/** The facts of a row's statement; the text, which may be long, is read by itself. */
export const statementFacts = {
  fields: ['statement_length', 'database', 'milliseconds', 'rows'] as const,
  async load(commands: readonly ({ id: string } & Partial<CommandOutside>)[], { db }: { db: Database }) {
    const ids = commands.map(({ id }) => id)
    if (commands.every(isFromOutside)) return commands.map(factsOutside)
    const found = await db
      .select({
        command: terminalStatement.command,
        statement_length: sql<number>`length(${terminalStatement.text})`,
        database: terminalStatement.database,
        milliseconds: terminalStatement.milliseconds,
        rows: terminalStatement.rows,
      })
      .from(terminalStatement)
      .where(sql`${terminalStatement.command} = ANY(${sql.param(ids.filter(isUuid))}::uuid[])`)
    const facts = new Map(found.map(({ command: id, ...rest }) => [id, rest]))
    return commands.map((row) => facts.get(row.id) ?? factsOutside(row))
  },
}

const isFromOutside = (row: object) => 'statement' in row

/** The facts of a row from a storage outside, which has its statement with it. */
function factsOutside({ statement }: Partial<CommandOutside>) {
  if (!statement) return NO_STATEMENT
  const { text, database, milliseconds, rows } = statement
  return { statement_length: [...text].length, database, milliseconds, rows }
}

const NO_STATEMENT = { statement_length: null, database: null, milliseconds: null, rows: null }

/**
 * Commands that contain a text; the whole stored text of statements is searched, by its index. As
 * an array, which is found once: joined, it is found again for each row where PostgreSQL, before it
 * has analyzed the table, takes the rows for few.
 */
export const textContains = (value: string): SQL => {
  const pattern = `%${escapeLike(value)}%`
  return sql`${terminalCommand.id} = ANY(ARRAY(
    SELECT id FROM terminal_command WHERE input ILIKE ${pattern}
    UNION SELECT command FROM terminal_statement WHERE text ILIKE ${pattern}))`
}

const STATEMENT = {
  fields: plainFields({
    text: 'string',
    bytes: 'integer',
    sha256: 'string',
    milliseconds: 'float',
    rows: 'integer',
    error: 'string',
    code: 'string',
    database: 'string',
    program: 'string',
  }),
}

/** GET commands/{id}/statement/: a statement with all of its text that is stored, and what came of it. */
export function registerStatement(kernel: Kernel): void {
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${command.path}:id/statement/`,
    config: { access: command.permission.list, summary: 'Command: its statement, whole', rows: STATEMENT },
    handler: async ({ call, params }) => {
      const outside = await statementOutside(kernel, call, params.id)
      if (outside) return outside
      const { id } = await rowInOrg(kernel.db, call, terminalCommand, params.id)
      const [found] = await kernel.db.select().from(terminalStatement).where(eq(terminalStatement.command, id))
      if (!found) throw notFound()
      const { command: _, ...statement } = found
      return statement
    },
  })
}

/** The same of a command that a storage outside has. */
async function statementOutside(kernel: Kernel, call: Call, id: string): Promise<StoredStatement | undefined> {
  const wanted = { ids: [id], org: isRoot(call) ? undefined : call.org.id }
  return (await commandsOutside(kernel, wanted, 1)).find(({ statement }) => statement)?.statement ?? undefined
}
