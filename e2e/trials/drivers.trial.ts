/**
 * `npm run trial drivers`: programs with the drivers of Java and Python do the same straight to a
 * database and through Sallyport, and must print the same: rows to the byte, types, errors, what a
 * time limit cancels. Needs `java` with its compiler, and of Debian `libmariadb-java`,
 * `libpostgresql-jdbc-java`, `python3-pymysql`, `python3-psycopg2` and `python3-redis`; `JDBC_PATH`
 * names another folder of Java's archives, `PYTHONPATH` one of Python's modules.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SECRET as WORD } from '../../apps/server/src/gateway/connectors/mysql/mariadb-fixture.ts'
import { SECRET } from '../../apps/server/src/gateway/connectors/postgresql/postgresql-fixture.ts'
import { SECRET as KEYWORD } from '../../apps/server/src/gateway/connectors/redis/redis-server-fixture.ts'
import { openDatabaseFixture } from '../../apps/server/src/gateway/listeners/database/database-fixture.ts'
import { openMysqlFixture } from '../../apps/server/src/gateway/listeners/database/mysql-fixture.ts'
import { openRedisFixture } from '../../apps/server/src/gateway/listeners/database/redis-fixture.ts'
import { runToEnd } from '../../apps/server/test/run-to-end.ts'
import { PASSWORD } from '../../apps/server/test/server.ts'

const ARCHIVES = process.env.JDBC_PATH ?? '/usr/share/java'
const TIME_MS = 10 * 60_000
const FOLDER = join(import.meta.dirname, 'drivers')

interface Place {
  port: number
  user: string
  password: string
}

/** The output of a program on the server itself must be the same through Sallyport. */
async function compare(direct: Place, through: Place, line: (at: Place) => readonly string[]): Promise<void> {
  const printed = async (at: Place) => {
    const [program = '', ...parameters] = line(at)
    const { code, stdout, stderr } = await runToEnd(program, parameters)
    if (code) throw new Error(`${program} ended with ${code}: ${stderr}`)
    return stdout
  }
  const wanted = await printed(direct)
  console.log(wanted)
  expect(await printed(through)).toBe(wanted)
}

const java = (address: (port: number) => string) => (at: Place) => [
  ...['java', '-cp', join(ARCHIVES, '*'), join(FOLDER, 'Jdbc.java')],
  ...[address(at.port), at.user, at.password],
]
const python = (driver: string) => (at: Place) => [
  ...['/usr/bin/python3', join(FOLDER, 'drivers.py'), driver, String(at.port), at.user, at.password],
]

test(
  '[B7.27] PostgreSQL: pgjdbc and psycopg2',
  async () => {
    const fixture = await openDatabaseFixture()
    const direct = { port: fixture.postgres.port, user: 'scram', password: SECRET }
    const through = { port: fixture.port, user: 'walker#gold#scram', password: PASSWORD }
    try {
      await compare(
        direct,
        through,
        java((port) => `jdbc:postgresql://127.0.0.1:${port}/shop?sslmode=require`),
      )
      await compare(direct, through, python('psycopg2'))
    } finally {
      await fixture.close()
    }
  },
  TIME_MS,
)

test(
  '[B7.27] MariaDB: Connector/J and PyMySQL',
  async () => {
    const fixture = await openMysqlFixture()
    const direct = { port: fixture.mariadb.port, user: 'native', password: WORD }
    const through = { port: fixture.port, user: 'walker#gold#native', password: PASSWORD }
    const address = (port: number) => `jdbc:mariadb://127.0.0.1:${port}/shop?useSsl=true&trustServerCertificate=true`
    try {
      // A client hears the version of the server that the last one from its address was led to.
      await compare(direct, through, python('pymysql'))
      await compare(direct, through, java(address))
    } finally {
      await fixture.close()
    }
  },
  TIME_MS,
)

test(
  '[B7.27] Redis: redis-py',
  async () => {
    const fixture = await openRedisFixture({ tls: true })
    const direct = { port: fixture.redis.port, user: 'app', password: KEYWORD }
    const through = { port: fixture.port, user: 'walker#gold#app', password: PASSWORD }
    try {
      await compare(direct, through, python('redis'))
    } finally {
      await fixture.close()
    }
  },
  TIME_MS,
)
