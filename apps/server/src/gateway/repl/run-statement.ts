import type { Desk, TerminalSize } from '../kinds/terminal/streams.ts'
import type { Dialect } from './dialect.ts'
import type { Link } from './link.ts'
import { Pager } from './output/pager.ts'
import { type Layout, ResultPrinter } from './output/result-printer.ts'
import type { StatementJudge, Typed } from './statement-judge.ts'

/** Place of a statement, and how its answer is shown. */
export interface StatementRun {
  link: Link
  judge: StatementJudge
  desk: Desk
  dialect: Dialect
  layout: Layout
  isTiming: boolean
  size(): TerminalSize
  write(text: string): void
  /** In the person's language. */
  words(text: string): string
  /** Whether anybody still wants it, once it has been judged. */
  isWanted(): boolean
  /** Lines wait for the person, or do not any more. */
  held(isHeld: boolean): void
  /** Receiver of keys meanwhile. */
  onPager(pager: Pager | undefined): void
}

/** Has a statement judged, runs it, and shows what the server answers. */
export async function runStatement(typed: Typed, run: StatementRun): Promise<void> {
  const { link, judge, desk, dialect, layout, size, write, words } = run
  const admitted = await judge.admit(typed, link.wire)
  if (!admitted || !run.isWanted()) return
  const begun = desk.elapsed()
  const milliseconds = () => desk.elapsed() - begun
  const pager = new Pager({
    write,
    size,
    question: () => words('-- more -- space: page, return: line, a: all, q: end'),
    quit: () => link.cancel(),
    held: run.held,
  })
  run.onPager(pager)
  const printer = new ResultPrinter({
    pager,
    size,
    style: dialect.style,
    layout,
    summary: (summary) => dialect.summary(summary),
    cutWords: words('Some values are cut to fit: \\G or \\x shows them whole'),
    milliseconds,
  })
  await link.run(typed.text, printer, judge.passage(admitted, link.wire))
  printer.end()
  if (run.isTiming) pager.show(dialect.timing(milliseconds()))
  await pager.shown()
  run.onPager(undefined)
}
