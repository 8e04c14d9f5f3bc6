import type { Link } from './link.ts'

/** Asks the server what nobody typed, such as the names of tables; no rows when that is not possible now. */
export type Ask = (text: string) => Promise<string[][]>

/** Rows of such an answer that are read. */
export const ASKED_ROWS_MAX = 2000

/** A question of the prompt's own, whose answer is not shown; of one that fails there is none. */
export async function askWith(link: Link, text: string): Promise<string[][]> {
  const rows: string[][] = []
  await link.run(text, {
    columns() {},
    row(values) {
      if (rows.length < ASKED_ROWS_MAX) rows.push(values.map((value) => value?.text ?? ''))
    },
    said() {},
    done() {},
  })
  return rows
}
