import type { Link, Passage } from './link.ts'
import type { ResultSink } from './output/result.ts'

/** Asks the server what nobody typed, such as the names of tables; no rows when that is not possible now. */
export type Ask = (text: string) => Promise<string[][]>

/** Rows of such an answer that are read. */
export const ASKED_ROWS_MAX = 2000

/** A question of the prompt's own, whose answer is not shown; of one that fails there is none. */
export async function askWith(link: Link, text: string, passage?: Passage): Promise<string[][]> {
  const rows: string[][] = []
  const sink: ResultSink = {
    columns() {},
    row(values) {
      if (rows.length < ASKED_ROWS_MAX) rows.push(values.map((value) => value?.text ?? ''))
    },
    message() {},
    done() {},
  }
  await link.run(text, sink, passage)
  return rows
}
