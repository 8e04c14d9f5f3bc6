import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { CLIENT, message } from '../../protocols/postgresql/messages.ts'
import { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { Link } from '../link.ts'
import { PostgresqlAnswers } from './postgresql-answers.ts'

/** A connection to a PostgreSQL server, as any client of it has one. `program`: what it calls itself. */
export async function openPostgresql(
  database: string,
  connect: (wire: PostgresqlWire) => Promise<StatementTarget>,
  program = 'Sallyport terminal',
): Promise<Link<PostgresqlAnswers>> {
  const parameters = { application_name: program, client_encoding: 'UTF8', ...(database ? { database } : {}) }
  const wire = new PostgresqlWire(new Map(Object.entries(parameters)))
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new PostgresqlAnswers(host),
    encode: (text) => message(CLIENT.query, text.replaceAll('\0', '')),
  })
}
