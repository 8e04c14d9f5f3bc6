import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { SqlServerWire } from '../../protocols/sqlserver/sqlserver-wire.ts'
import { Link } from '../link.ts'
import { SqlServerAnswers } from './sqlserver-answers.ts'

/** A connection to a SQL Server. `program`: what it calls itself. */
export async function openSqlServer(
  _database: string,
  connect: (wire: SqlServerWire) => Promise<StatementTarget>,
  program = 'Sallyport terminal',
): Promise<Link<SqlServerAnswers>> {
  const wire = new SqlServerWire(program)
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new SqlServerAnswers(host, wire),
    encode: (text) => Buffer.from(text),
  })
}
