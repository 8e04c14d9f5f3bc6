/** Commands by the million, as a company of 2,000 people types them on 10,000 machines. */
import type pg from 'pg'

export const ORG = '00000000-0000-0000-0000-000000000002'
const A_SESSION = 50
const A_PIECE = 1_000_000
/** The first command; the others follow each 1.7 seconds, some 200 days for ten million. */
export const FIRST = 1_780_000_000
export const timeOf = (n: number) => FIRST + Math.floor(n * 1.7)

/** The same for the same number, without order. */
const mixed = (salt: number) => `abs(hashint8(i * 7919 + ${salt})::bigint)`
const bySession = (salt: number) => `abs(hashint8(i / ${A_SESSION} * 7919 + ${salt})::bigint)`
const session = `md5('session ' || i / ${A_SESSION})::uuid`
const person = `'Person ' || ${bySession(1)} % 2000 || '(person' || ${bySession(1)} % 2000 || ')'`
const machine = `'web-' || ${bySession(2)} % 10000 || '(10.1.' || ${bySession(2)} % 10000 / 250 || '.' || ${bySession(2)} % 250 || ')'`

/** A third is what everybody types; the rest has names and numbers of its own. One in ten is a statement. */
const input = `CASE ${mixed(3)} % 12
  WHEN 0 THEN 'ls -la' WHEN 1 THEN 'cd /var/log' WHEN 2 THEN 'systemctl status nginx' WHEN 3 THEN 'df -h'
  WHEN 4 THEN 'vim /srv/app-' || ${mixed(4)} % 3000 || '/config-' || i || '.yaml'
  WHEN 5 THEN 'kubectl -n team-' || ${mixed(5)} % 40 || ' logs pod-' || substr(md5(i::text), 1, 12)
  WHEN 6 THEN 'grep -rn "order ' || ${mixed(6)} % 1000000 || '" /var/log/app-' || ${mixed(4)} % 3000 || '.log'
  WHEN 7 THEN 'tail -n ' || ${mixed(7)} % 500 || ' /var/log/syslog'
  WHEN 8 THEN 'scp build-' || ${mixed(8)} % 50000 || '.tar.gz deploy@10.2.' || ${mixed(9)} % 250 || '.' || ${mixed(8)} % 250 || ':/opt'
  WHEN 9 THEN 'systemctl restart service-' || ${mixed(10)} % 400
  WHEN 10 THEN 'curl -s http://10.3.' || ${mixed(11)} % 250 || '.' || ${mixed(12)} % 250 || ':8080/health'
  ELSE 'SELECT * FROM orders WHERE number = ' || ${mixed(13)} % 9000000 END`

const sessions = (to: number) => `
  INSERT INTO terminal_session (id, org_id, "user", asset, "system_user", user_id, asset_id, remote_addr, is_finished, date_start, date_end)
  SELECT ${session}, '${ORG}', ${person}, ${machine}, 'root(root)', ${bySession(1)} % 2000, ${bySession(2)} % 10000, '10.9.0.1', true,
    to_timestamp(${FIRST} + i * 1.7), to_timestamp(${FIRST} + i * 1.7 + 85)
  FROM generate_series(0::bigint, ${to - 1}, ${A_SESSION}) i`

const commands = (from: number, to: number) => `
  INSERT INTO terminal_command (id, org_id, "user", asset, "system_user", input, output, session, risk_level, timestamp)
  SELECT uuidv7(to_timestamp(${FIRST} + i * 1.7) - now()), '${ORG}', ${person}, ${machine}, 'root(root)', ${input},
    repeat('out ' || ${mixed(14)} % 100 || ' ', 1 + (${mixed(15)} % 24)::int), ${session}, CASE WHEN ${mixed(16)} % 500 = 0 THEN 5 ELSE 0 END,
    floor(${FIRST} + i * 1.7)
  FROM generate_series(${from}::bigint, ${to - 1}) i`

const STATEMENTS = `
  INSERT INTO terminal_statement (command, text, bytes, milliseconds, rows, database)
  SELECT id, input || ' AND region = ''' || substr(md5(id::text), 1, 10) || ''' ORDER BY date_created DESC LIMIT 20', 120, 3, 20, 'shop'
  FROM terminal_command WHERE input LIKE 'SELECT%'`

const TABLES = ['terminal_session', 'terminal_command', 'terminal_statement']

/** Set-based into the tables, whose indexes are rebuilt afterwards; triggers of auditing do not see it. */
export async function fillCommands(pool: pg.Pool, count: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`SET maintenance_work_mem = '1GB'; SET synchronous_commit = off`)
    for (const table of TABLES) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename IN ('terminal_command', 'terminal_statement') AND indexname NOT LIKE '%pkey'`,
    )
    for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
    await client.query(sessions(count))
    for (let from = 0; from < count; from += A_PIECE)
      await client.query(commands(from, Math.min(count, from + A_PIECE)))
    await client.query(STATEMENTS)
    // The server may have missed some meanwhile, and makes them by itself.
    for (const { definition } of rows) await client.query(definition.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
    for (const table of TABLES) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    await client.query('RESET maintenance_work_mem; RESET synchronous_commit')
  } finally {
    client.release()
  }
  await pool.query(`VACUUM ANALYZE ${TABLES.join(', ')}`)
}
