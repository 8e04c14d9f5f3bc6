import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { MysqlWire } from '../../protocols/mysql/mysql-wire.ts'
import { CAPABILITY, COMMAND, lengthEncoded, packet } from '../../protocols/mysql/packets.ts'
import { Link } from '../link.ts'
import { MysqlAnswers } from './mysql-answers.ts'

/** utf8mb4_general_ci, which every server has. */
const UTF8 = 45
const MAX_PACKET = 16 * 1024 * 1024
const attributesOf = (program: string) =>
  Buffer.concat(['program_name', program].map((one) => lengthEncoded(Buffer.from(one))))
const CAPABILITIES = [
  ...[CAPABILITY.longPassword, CAPABILITY.longFlag, CAPABILITY.protocol41, CAPABILITY.transactions],
  ...[CAPABILITY.interactive, CAPABILITY.secureConnection, CAPABILITY.multiResults, CAPABILITY.pluginAuth],
  ...[CAPABILITY.connectAttributes, CAPABILITY.connectWithDatabase],
].reduce((all, one) => all | one, 0)

/**
 * A connection to a server of MySQL or MariaDB, as any client of it has one. `program`: what it calls
 * itself.
 */
export async function openMysql(
  database: string,
  connect: (wire: MysqlWire) => Promise<StatementTarget>,
  program = 'Sallyport terminal',
): Promise<Link<MysqlAnswers>> {
  const wire = new MysqlWire({
    capabilities: CAPABILITIES,
    maxPacket: MAX_PACKET,
    collation: UTF8,
    username: '',
    proof: Buffer.alloc(0),
    database,
    plugin: '',
    attributes: attributesOf(program),
  })
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new MysqlAnswers(host),
    encode: (text) => packet(0, Buffer.of(COMMAND.query), Buffer.from(text)),
  })
}
