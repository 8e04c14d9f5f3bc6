import { readStatement as readByMysql } from './protocols/mysql/read-statement.ts'
import { withoutComments as readByOracle } from './protocols/oracle/without-comments.ts'
import { readStatement as readByPostgresql } from './protocols/postgresql/without-comments.ts'
import { readCommand } from './protocols/redis/read-command.ts'
import { withoutComments as readBySqlServer } from './protocols/sqlserver/without-comments.ts'

const READINGS = new Map<string, (text: string) => readonly (string | undefined)[] | undefined>([
  ['mysql', (text) => readByMysql(text, undefined)],
  ['mariadb', (text) => readByMysql(text, undefined)],
  ['postgresql', readByPostgresql],
  ['sqlserver', (text) => [readBySqlServer(text)]],
  ['oracle', (text) => [readByOracle(text)]],
  ['redis', readCommand],
])

/** What databases of a protocol may read a statement as besides what is sent, whatever their version; see `ClientWire.readAs`. */
export function readingsOf(protocol: string, text: string): string[] | undefined {
  const read = READINGS.get(protocol)
  return read ? read(text)?.filter((one) => one !== undefined) : []
}
