import type { Notice } from '../session/notice.ts'
import type { Answers } from './answers.ts'
import type { Ask } from './ask.ts'
import type { Prompts } from './editor/editor-view.ts'
import type { Completion } from './editor/statement-editor.ts'
import type { Link } from './link.ts'
import type { Layout, Summary } from './output/result-printer.ts'
import type { TableStyle } from './output/table.ts'
import type { Piece } from './sql/statements.ts'

/** Effect of a command of the prompt's own. */
export type CommandEffect =
  | { does: 'leave' }
  /** Shows lines. */
  | { does: 'say'; lines: readonly string[] }
  /** Runs statements, each under a heading, as if they had been typed. */
  | { does: 'run'; statements: readonly { title?: string | undefined; text: string }[] }
  /** Says why it is not possible. */
  | { does: 'refuse'; why: Notice }
  | { does: 'layout'; layout: Layout | undefined }
  | { does: 'timing' }
  /** Goes on in another database, over a connection of its own. */
  | { does: 'database'; name: string }

/** Facts about one sort of database for a prompt; everything else is the same for all. */
export interface Dialect<A extends Answers = Answers> {
  style: TableStyle
  layout: Layout
  /** Lines at the beginning. */
  greeting(link: Link<A>): string[]
  prompts(link: Link<A>): Prompts
  /** Whether a return runs the text in the rows; those before `firstChanged` are as they were. */
  isComplete(rows: readonly string[], firstChanged: number): boolean
  /** Pieces to run, in order. */
  pieces(text: string): Piece[]
  command(text: string): CommandEffect
  complete(before: string, ask: Ask): Promise<Completion | undefined>
  /** Lines below the outcome of a statement. */
  summary(summary: Summary): string[]
  /** How long it took; empty where the summary says so. */
  timing(milliseconds: number): string[]
  /** Whether the server can be asked something in between. */
  isAskable(link: Link<A>): boolean
  /** A running statement can only be broken off with its connection; another takes its place. */
  endsWithConnection?: boolean
}
