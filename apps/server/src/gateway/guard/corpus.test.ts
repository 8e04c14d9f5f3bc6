import { expect, test } from 'vitest'
import { readStatement as readByMysql, readVersion } from '../protocols/mysql/read-statement.ts'
import { readStatement as readByOracle } from '../protocols/oracle/read-statement.ts'
import { readStatement as readByPostgresql } from '../protocols/postgresql/without-comments.ts'
import { readCommand } from '../protocols/redis/read-command.ts'
import { readBatch } from '../protocols/sqlserver/read-batch.ts'
import { CORPUS, outcomesOf } from './corpus.ts'

const LINES = CORPUS.filter((one) => !('keys' in one))

/** As the wires of databases read a statement. */
const READINGS = {
  mysql: (line: string) => readByMysql(line, readVersion('8.0.36')) ?? [],
  postgresql: (line: string) => readByPostgresql(line) ?? [],
  redis: readCommand,
  sqlserver: (line: string) => readBatch(line) ?? [],
  oracle: (line: string) => readByOracle(line) ?? [],
}

test.each(LINES.map((one) => [one.technique, one] as const))('%s', (_, one) => {
  expect(outcomesOf(one, one.database && READINGS[one.database](one.line))).toEqual(one.expected)
})

test('at least 80 techniques are known, and those that are not caught say why', () => {
  expect(CORPUS.length).toBeGreaterThan(80)
  for (const { technique, expected, why } of CORPUS)
    if (Object.values(expected).includes('known')) expect(why, technique).toBeTruthy()
})
