import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { CLIENT, message } from '../../protocols/postgresql/messages.ts'
import { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { Link } from '../link.ts'
import { PostgresqlAnswers } from './postgresql-answers.ts'

/** What the server is told of this client. */
const PARAMETERS = { application_name: 'Sallyport terminal', client_encoding: 'UTF8' }

/** A connection to a PostgreSQL server, as any client of it has one. */
export async function openPostgresql(
  database: string,
  connect: (wire: PostgresqlWire) => Promise<StatementTarget>,
): Promise<Link<PostgresqlAnswers>> {
  const wire = new PostgresqlWire(new Map(Object.entries({ ...PARAMETERS, ...(database ? { database } : {}) })))
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new PostgresqlAnswers(host),
    encode: (text) => message(CLIENT.query, text.replaceAll('\0', '')),
  })
}
