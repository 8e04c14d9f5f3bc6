import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { OracleWire } from '../../protocols/oracle/oracle-wire.ts'
import { Link } from '../link.ts'
import { OracleAnswers } from './oracle-answers.ts'

/** A connection to an Oracle database. `program`: what it calls itself. */
export async function openOracle(
  _database: string,
  connect: (wire: OracleWire) => Promise<StatementTarget>,
  program = 'Sallyport terminal',
): Promise<Link<OracleAnswers>> {
  const wire = new OracleWire(program)
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new OracleAnswers(host, wire),
    encode: (text) => Buffer.from(text),
  })
}
