/** A row as JSON; because of its id, storing it twice makes no second row. */
export type JournalRow<Content> = Content & { id: string }

/** Columns that many rows share, and their JSON behind another. */
export interface Shared<Content> {
  readonly columns: Partial<Content>
  readonly json: string
}

export const sharedBy = <Content extends object>(columns: Partial<Content>): Shared<Content> => ({
  columns,
  json: furtherJson(columns),
})

/** JSON of these columns behind another one, in the braces of a row; of two with one name, the last counts. */
export function furtherJson(columns: object): string {
  const json = JSON.stringify(columns)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}

/** A line of a journal's file. */
export type Line<Content> =
  | { begun: JournalRow<Content> }
  | ({ ended: string } & Partial<Content>)
  | { dropped: string }

/** Undefined for a line that a broken disk has left. */
function jsonFrom<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** Rows that are written as they are, a line each. */
export function wholeRowsOf<Content extends object>(lines: readonly string[]): JournalRow<Content>[] {
  return lines.flatMap((text) => jsonFrom<JournalRow<Content>>(text) ?? [])
}

/** Rows of earlier lines that are still to be stored. */
export function rowsOf<Content extends object>(lines: readonly string[]): Iterable<JournalRow<Content>> {
  const rows = new Map<string, JournalRow<Content>>()
  for (const text of lines) {
    const line = jsonFrom<Line<Content>>(text)
    if (!line) continue
    if ('begun' in line) rows.set(line.begun.id, line.begun)
    else if ('dropped' in line) rows.delete(line.dropped)
    else {
      const { ended, ...change } = line
      const row = rows.get(ended)
      if (row) Object.assign(row, change)
    }
  }
  return rows.values()
}
