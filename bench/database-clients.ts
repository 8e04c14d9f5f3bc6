/** Plain clients of each database, and what they are given to do. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE as SHOP, SECRET as WORD } from '../apps/server/src/gateway/connectors/mysql/mariadb-fixture.ts'
import { DATABASE, SECRET } from '../apps/server/src/gateway/connectors/postgresql/postgresql-fixture.ts'
import { SECRET as KEYWORD } from '../apps/server/src/gateway/connectors/redis/redis-server-fixture.ts'
import type { ApplicationFixture } from '../apps/server/src/gateway/listeners/database/application-fixture.ts'
import { openDatabaseFixture } from '../apps/server/src/gateway/listeners/database/database-fixture.ts'
import { openMysqlFixture } from '../apps/server/src/gateway/listeners/database/mysql-fixture.ts'
import { openRedisFixture } from '../apps/server/src/gateway/listeners/database/redis-fixture.ts'
import type { TestDatabase } from '../apps/server/test/database.ts'
import { PASSWORD } from '../apps/server/test/server.ts'

/** Where a client connects, and as whom. */
export interface Place {
  port: number
  user: string
  password: string
}

/** A program that a person runs; what it prints goes nowhere. */
export interface Run {
  /** For a shell. */
  command: string
  environment?: Record<string, string>
}

export interface BenchDatabase {
  fixture: ApplicationFixture & { close(): Promise<void> }
  /** Straight to the server. */
  direct: Place
  through: Place
  /** By what they are called. */
  runs: Readonly<Record<string, (at: Place) => Run>>
  /**
   * Small queries one by one, each with a line of the log, of whose words `milliseconds` makes how long it took:
   * each when the one before is answered, or so many a second.
   */
  latency?: (at: Place, aSecond?: number) => Run & { log: string; milliseconds: (line: readonly string[]) => number }
  /** An answer of so many megabytes, for a client that sleeps before it reads on. */
  asleep?: (at: Place, megabytes: number, seconds: number) => Run & { counted: string }
}

export interface Size {
  rows: number
  queries: number
  /** For files. */
  directory: string
  /** Ports of Sallyport's own. */
  database: TestDatabase
}

/** By the names of their types. */
export const DATABASES: Readonly<Record<string, (size: Size) => Promise<BenchDatabase>>> = {
  postgresql,
  mariadb,
  redis,
}

async function postgresql({ rows, queries, directory, database }: Size): Promise<BenchDatabase> {
  const fixture = await openDatabaseFixture({}, database)
  const { sql, programs, port } = fixture.postgres
  await sql(
    `CREATE TABLE big AS SELECT n AS id, md5(n::text) AS name, md5((-n)::text) || md5((2 * n)::text) AS text
     FROM generate_series(1, ${rows}) AS n`,
  )
  await sql('ALTER TABLE big ADD PRIMARY KEY (id)')
  await sql('GRANT ALL ON big TO scram')
  await sql('VACUUM ANALYZE big')
  const small = join(directory, 'small.sql')
  writeFileSync(small, 'SELECT id, name FROM big WHERE id = 4711;\n'.repeat(queries))
  const one = join(directory, 'one.sql')
  writeFileSync(one, `\\set id random(1, ${rows})\nSELECT id, name FROM big WHERE id = :id;\n`)
  const run = (command: string) => (at: Place) => ({
    command: `${programs}/${command}`,
    environment: {
      ...{ PGHOST: '127.0.0.1', PGPORT: String(at.port), PGUSER: at.user, PGPASSWORD: at.password },
      ...{ PGDATABASE: DATABASE, PGSSLMODE: 'require' },
    },
  })
  const pgbench = (protocol: string, count = queries) => `pgbench -n -M ${protocol} -t ${count} -f ${one}`
  const log = join(directory, 'latency')
  return {
    fixture,
    direct: { port, user: 'scram', password: SECRET },
    through: { port: fixture.port, user: 'walker#gold#scram', password: PASSWORD },
    runs: {
      [`${rows} rows by psql`]: run(`psql -XAtq -c 'SELECT * FROM big'`),
      [`${queries} queries by psql`]: run(`psql -XAtq -f ${small}`),
      [`${queries} queries by pgbench`]: run(pgbench('simple')),
      [`${queries} prepared by pgbench`]: run(pgbench('prepared')),
    },
    latency: (at, aSecond) => ({
      ...run(
        `${aSecond ? `${pgbench('simple', aSecond * 4)} -R ${aSecond}` : pgbench('simple')} -l --log-prefix=${log}`,
      )(at),
      log,
      // With so many a second, the last number is the wait behind the one before, which counts as well.
      milliseconds: ([, , took, , , , stood = '0']) => (Number(took) - Number(stood)) / 1000,
    }),
    asleep(at, megabytes, seconds) {
      const counted = join(directory, 'counted')
      const copy = `COPY (SELECT repeat('x', 1023) FROM generate_series(1, ${megabytes * 1024})) TO STDOUT`
      return { ...run(`psql -Xq -c "${copy}" | (sleep ${seconds}; wc -c > ${counted})`)(at), counted }
    },
  }
}

async function mariadb({ rows, queries, directory, database }: Size): Promise<BenchDatabase> {
  const fixture = await openMysqlFixture({}, database)
  await fixture.mariadb.sql(
    `CREATE TABLE ${SHOP}.big (id INT PRIMARY KEY, name CHAR(32), text CHAR(64)) CHARACTER SET latin1
     SELECT seq AS id, md5(seq) AS name, concat(md5(-seq), md5(2 * seq)) AS text FROM ${SHOP}.seq_1_to_${rows}`,
  )
  const small = join(directory, 'small.sql')
  writeFileSync(small, 'SELECT id, name FROM big WHERE id = 4711;\n'.repeat(queries))
  const run = (rest: string) => (at: Place) => ({
    command: `mariadb --no-defaults --ssl --host=127.0.0.1 --port=${at.port} --user='${at.user}' -N --quick ${rest}`,
    environment: { MYSQL_PWD: at.password },
  })
  return {
    fixture,
    direct: { port: fixture.mariadb.port, user: 'native', password: WORD },
    through: { port: fixture.port, user: 'walker#gold#native', password: PASSWORD },
    runs: {
      [`${rows} rows by mariadb`]: run(`-e 'SELECT * FROM big' ${SHOP}`),
      [`${queries} queries by mariadb`]: run(`${SHOP} < ${small}`),
    },
    asleep(at, megabytes, seconds) {
      const counted = join(directory, 'counted')
      const select = `SELECT repeat('x', 1023) FROM seq_1_to_${megabytes * 1024}`
      return { ...run(`-e "${select}" ${SHOP} | (sleep ${seconds}; wc -c > ${counted})`)(at), counted }
    },
  }
}

async function redis({ rows, queries, directory, database }: Size): Promise<BenchDatabase> {
  const fixture = await openRedisFixture({ tls: true, own: database })
  const script = `for n = 1, ${rows} do redis.call('rpush', 'big', redis.sha1hex(n)) end`
  await fixture.redis.ask('eval', script, '0')
  await fixture.redis.ask('set', 'small', 'x'.repeat(40))
  const keys = `for n = 1, ${2 * queries} do redis.call('set', 'key:' .. n, n) end`
  await fixture.redis.ask('eval', keys, '0')
  const small = join(directory, 'small.txt')
  writeFileSync(small, 'get small\n'.repeat(queries))
  const as = (at: Place) => `-p ${at.port} --tls --insecure --user '${at.user}'`
  const run = (rest: string) => (at: Place) => ({
    command: `redis-cli --no-auth-warning ${as(at)} --pass '${at.password}' ${rest}`,
  })
  const benchmark = (rest: string) => (at: Place) => ({
    command: `redis-benchmark ${as(at)} -a '${at.password}' -n ${queries} ${rest} get small`,
  })
  return {
    fixture,
    direct: { port: fixture.redis.port, user: 'app', password: KEYWORD },
    through: { port: fixture.port, user: 'walker#gold#app', password: PASSWORD },
    runs: {
      [`${rows} elements by redis-cli`]: run('lrange big 0 -1'),
      [`${queries} gets by redis-cli`]: run(`< ${small}`),
      [`${queries} gets, 10 clients`]: benchmark('-c 10'),
      [`${queries * 10} gets, 16 at once`]: benchmark(`-c 1 -P 16 -n ${queries * 10}`),
      [`bigkeys of ${2 * queries} keys`]: run('--bigkeys'),
    },
  }
}
