/** A workbench in a browser, on a whole server with a real database. */
import type { ApplicationFixture } from '../database/application-fixture.ts'
import { openTerminal, type Terminal } from './terminal-fixture.ts'

/** Messages to the page, in order. */
export interface WorkbenchMessage {
  event: string
  run: number
  [field: string]: unknown
}

export interface WorkbenchPage {
  terminal: Terminal
  messages(): WorkbenchMessage[]
  /** How it stood when the page came. */
  start(): Record<string, unknown>
  /** Rows that were shown of a run. */
  rows(run: number): unknown[][]
  /** Runs it, without waiting. Answers its number. */
  begin(text: string, how?: { at?: number; isPlanned?: boolean }): number
  /** Runs it, and settles when it is over. */
  run(text: string, how?: { at?: number; isPlanned?: boolean }): Promise<WorkbenchMessage[]>
  until(found: () => unknown): Promise<void>
  /** A page of rows that it has shown before, or the message in its place. */
  again(run: number, wanted: { from: number } | { to: number }): Promise<WorkbenchMessage>
  ask(ask: Record<string, unknown>): Promise<{ rows: string[][]; error?: string; [field: string]: unknown }>
  /** Plans another value for one of the rows that a run has shown. Answers the statement, or why there is none. */
  plan(run: number, cell: { at: number; column: number; value: string | null; row?: unknown[] }): Promise<string>
  /** Runs what was planned last. */
  edit(): Promise<WorkbenchMessage>
}

export async function openWorkbench(
  { server, person, target, systemUsers }: ApplicationFixture,
  type: string,
  { client, resume, byToken }: { client?: string; resume?: string; byToken?: string } = {},
): Promise<WorkbenchPage> {
  const systemUser = Object.values(systemUsers)[0] as string
  const terminal = await openTerminal(server.url, person, {
    ...(resume ? { type: 'resume', target: resume } : { type, target: target.id }),
    ...(client ? { client } : {}),
    ...(byToken ? { byToken } : {}),
    systemUser,
    view: 'workbench',
  })
  const parsed = (type: string) =>
    terminal.messages.filter((one) => one.type === type).map(({ data }) => JSON.parse(data))
  const until = (found: () => unknown) => terminal.until(() => terminal.errors.length > 0 || found())
  let runs = 0
  let questions = 0
  await until(() => terminal.messages.some((one) => one.type === 'WORKBENCH_START'))
  // A page that comes back goes on counting.
  runs = Number(parsed('WORKBENCH_START')[0]?.newest ?? 0)
  const page: WorkbenchPage = {
    terminal,
    messages: () => parsed('WORKBENCH'),
    start: () => parsed('WORKBENCH_START')[0],
    rows: (run) =>
      page
        .messages()
        .filter((one) => one.run === run && one.event === 'rows')
        .flatMap(({ rows }) => rows as unknown[][]),
    begin(text, how = {}) {
      terminal.say('WORKBENCH_RUN', { run: ++runs, text, ...how })
      return runs
    },
    async run(text, how) {
      const run = page.begin(text, how)
      const ofRun = () => page.messages().filter((one) => one.run === run)
      await until(() => ofRun().some(({ event }) => event === 'idle'))
      return ofRun()
    },
    until,
    async again(run, wanted) {
      const answers = () => page.messages().filter(({ event }) => event === 'again' || event === 'gone')
      const before = answers().length
      terminal.say('WORKBENCH_ROWS', { run, statement: 0, result: 1, ...wanted })
      await until(() => answers().length > before)
      return answers()[before] as WorkbenchMessage
    },
    async ask(ask) {
      const question = ++questions
      const reply = () => parsed('WORKBENCH_REPLY').find((one) => one.question === question)
      terminal.say('WORKBENCH_ASK', { question, ask })
      await until(reply)
      return reply()
    },
    async plan(run, cell) {
      const row = page.rows(run)[cell.at]
      const { rows, error } = await page.ask({ about: 'edit', edit: { run, statement: 0, result: 1, row, ...cell } })
      return error ?? rows[0]?.[0] ?? ''
    },
    async edit() {
      terminal.say('WORKBENCH_EDIT', { run: ++runs, question: questions })
      const ofRun = (event: string) => page.messages().find((one) => one.run === runs && one.event === event)
      await until(() => ofRun('idle'))
      return ofRun('edited') as WorkbenchMessage
    },
  }
  return page
}
