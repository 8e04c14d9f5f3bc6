import type { Connection, Metadata, ResultSet } from 'oracledb'
import { ROW_BYTES } from '../../../protocols/byte-source.ts'
import type { FromDriver, ShownRow } from '../../../protocols/oracle/driver-messages.ts'
import { asText, isNumber, shownRow } from './values.ts'

/** Rows that come with the answer to a statement, whose size nobody knows before. */
const FIRST_ROWS = 10
/** Rows fetched at once, at most; fewer where a row can be large. */
const ROWS_MAX = 200
/** Size of a column whose values can have any length, such as `LONG`. */
const ENDLESS = ROW_BYTES
/** Size of a column that says nothing of it, such as a number. */
const SMALL = 32

export interface RunParts {
  connection: Connection
  tell(message: FromDriver): void
  /** Settles when the rows that were sent are dealt with. */
  dealtWith(): Promise<void>
  /** Does what the server has a part in; throws where what runs is cancelled. */
  call<T>(work: () => Promise<T>): Promise<T>
}

/** Runs a statement, and tells what comes of it, of rows as much at once as fits. Throws what the driver throws. */
export async function runText(text: string, { connection, tell, dealtWith, call }: RunParts): Promise<void> {
  const result = await call(() =>
    connection.execute(text, [], {
      ...{ resultSet: true, autoCommit: false, prefetchRows: FIRST_ROWS, keepInStmtCache: false },
      fetchTypeHandler: asText,
    }),
  )
  if (result.warning) tell({ event: 'notice', words: result.warning.message })
  const sets = result.resultSet ? [result.resultSet] : (result.implicitResults ?? [])
  for (const set of sets) await reportRows(set)
  if (!sets.length) tell({ event: 'done', rows: result.rowsAffected })

  async function reportRows(set: ResultSet): Promise<void> {
    const together = rowsTogether(set.metaData)
    tell({
      event: 'columns',
      columns: set.metaData.map((column) => ({ name: column.name, isNumber: isNumber(column) })),
    })
    let count = 0
    try {
      for (;;) {
        const rows = await call(() => set.getRows(together))
        if (!rows.length) break
        const shown: ShownRow[] = []
        for (const row of rows) shown.push(await call(() => shownRow(row)))
        count += rows.length
        tell({ event: 'rows', rows: shown })
        await dealtWith()
      }
    } finally {
      await set.close()
    }
    tell({ event: 'done', rows: count })
  }
}

function rowsTogether(columns: readonly Metadata[]): number {
  const bytes = columns.reduce((sum, column) => sum + sizeOf(column), 0)
  return Math.max(1, Math.min(ROWS_MAX, Math.floor(ROW_BYTES / Math.max(1, bytes))))
}

const sizeOf = ({ dbType, byteSize }: Metadata) =>
  /LONG|JSON|XML|VECTOR|OBJECT/.test(dbType.name) ? ENDLESS : (byteSize ?? SMALL)
