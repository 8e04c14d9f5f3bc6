import { readStatement as readByMysql } from './mysql/read-statement.ts'
import { readStatement as readByOracle } from './oracle/read-statement.ts'
import { readStatement as readByPostgresql } from './postgresql/without-comments.ts'
import { readCommand } from './redis/read-command.ts'
import { readBatch } from './sqlserver/read-batch.ts'

const READINGS = new Map<string, (text: string) => readonly string[] | undefined>([
  ['mysql', (text) => readByMysql(text, undefined)],
  ['mariadb', (text) => readByMysql(text, undefined)],
  ['postgresql', readByPostgresql],
  ['sqlserver', readBatch],
  ['oracle', readByOracle],
  ['redis', readCommand],
])

/**
 * Other readings of a statement by databases of a protocol, whatever their version; see
 * `ClientWire.readAs`.
 */
export function readingsOf(protocol: string, text: string): readonly string[] | undefined {
  const read = READINGS.get(protocol)
  return read ? read(text) : []
}
