/** A column of a result. */
export interface Column {
  name: string
  /** Numbers are at the right. */
  isNumber: boolean
  /** Undefined for what was computed. */
  source?: ColumnSource | undefined
}

/** The stored column that a column of a result is, in the server's own words. */
export interface ColumnSource {
  /** Schema and name, or the number of the table. */
  table: readonly string[]
  /** Its own name, or its number there. */
  column: string
}

/** A value as the server writes it; undefined for NULL. */
export interface Value {
  text: string
  /** There is more of it than is kept. */
  isCut: boolean
}

export type Row = readonly (Value | undefined)[]

/** Answer of a server to one statement, as it comes. */
export interface ResultSink {
  /** A table begins. */
  columns(columns: readonly Column[]): void
  row(values: Row): void
  /** Text that is shown as it is: what a server says on its way, or an answer that is no table. */
  message(text: string, kind: 'plain' | 'notice' | 'error'): void
  /** A table has ended, or a statement that brings none. `words`: what the server calls it. */
  done(summary: { words: string; rows?: number | undefined }): void
}
