import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { Statements } from '../../repl/sql/statements.ts'
import { WORKBENCH_DATABASES } from '../../workbench/databases.ts'
import type { Agent } from '../agent.ts'
import { type ToolAnswer, tool } from './tool.ts'
import { WAIT, waitUntil } from './waiting.ts'

/** Characters of one statement. */
const STATEMENT_LENGTH = 64 * 1024

export const runStatement = tool({
  name: 'run_statement',
  title: 'Run a statement',
  does: 'Runs one SQL statement on a database that is granted to you, in a session of its own, and answers its first rows. Rules may refuse it, or have people confirm it first: then its state is held, and you call wait_for_statement. It is recorded.',
  acts: true,
  input: z.strictObject({
    application: z.guid().describe('Id of a database, as find_targets answers it'),
    account: z.guid().describe('Id of an account, as list_accounts answers it'),
    statement: z
      .string()
      .min(1)
      .max(STATEMENT_LENGTH)
      .refine((text) => !/(?![\n\r\t])\p{Cc}/u.test(text), 'Control characters are not allowed'),
    rows: z.int().min(1).max(500).default(50).describe('Rows to answer at most'),
    seconds: WAIT,
  }),
  isWait: true,
  asks: ({ rows }) => rows,
  async work(agent, { application, account, statement, rows, seconds }) {
    const accounts = (await agent.ask('accountsOfApplication', { in: { application_id: application } })) as {
      id: string
      protocol: string
    }[]
    const database = WORKBENCH_DATABASES.get(accounts.find(({ id }) => id === account)?.protocol ?? '')
    if (!database) throw new AppError(400, 'invalid', NO_DATABASE)
    const [one, another] = await new Statements(database.syntax).script(statement)
    if (!one || another) throw new AppError(400, 'invalid', ONE_ONLY)
    const run = agent.statements.begin(agent, {
      database,
      target: { family: 'application', id: application },
      systemUserId: account,
      text: one.text,
      limit: rows,
    })
    return answerOf(agent, run, seconds, true)
  },
})

export const waitForStatement = tool({
  name: 'wait_for_statement',
  title: 'Wait for a statement',
  does: 'Waits until a statement is over, for some seconds at most, and answers its first rows. Call it again while it is not finished. An answer is given once.',
  acts: false,
  isWait: true,
  input: z.strictObject({ run: z.guid(), seconds: WAIT }),
  asks: rowsOf,
  work: (agent, { run, seconds }) => answerOf(agent, run, seconds, false),
})

export const endStatement = tool({
  name: 'end_statement',
  title: 'End a statement',
  does: 'Breaks off your statement, also while it waits for people.',
  acts: true,
  isWait: true,
  input: z.strictObject({ run: z.guid() }),
  asks: () => 0,
  async work(agent, { run }) {
    agent.statements.of(agent.call, run).end()
    return answerOf(agent, run, 5, false)
  },
})

/** `isNew`: the agent is to tell at once for whom it waits. */
async function answerOf(agent: Agent, id: string, seconds: number, isNew: boolean): Promise<ToolAnswer> {
  const run = agent.statements.of(agent.call, id)
  await waitUntil(
    agent,
    seconds,
    async () => {
      await agent.check()
      return run.state
    },
    (state) => state === 'over' || (isNew && state === 'held'),
  )
  const of = { run: id, session: run.session ?? null }
  if (run.state !== 'over') return { data: { ...of, state: run.state, ...reason(run.words) }, rows: 0 }
  const onGiven = () => agent.statements.forget(id)
  try {
    await run.done
  } catch (error) {
    // It has no other answer than this one.
    onGiven()
    throw error
  }
  const { columnNames, rows, messages, error, isCut, summary } = run.rows
  const answer = { columns: columnNames, rows, is_cut: isCut, summary, messages }
  return {
    data: { ...of, state: 'over', ...(error ? { error } : {}), ...reason(run.words), ...answer },
    rows: rows.length,
    handle: { ...of, state: 'over' },
    onGiven,
  }
}

function rowsOf({ run }: { run: string }, { statements, call }: Agent): number {
  return statements.find(call, run)?.rows.limit ?? 1
}

const reason = (words: string | undefined) => (words ? { reason: words } : {})

const NO_DATABASE = 'This account is not one of an SQL database that you may use'
const ONE_ONLY = 'Run one statement at a time'
