import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { commandBytes } from '../../protocols/redis/command-walker.ts'
import { inlineArguments } from '../../protocols/redis/inline-command.ts'
import { RedisWire } from '../../protocols/redis/redis-wire.ts'
import { Link } from '../link.ts'
import { RedisAnswers } from './redis-answers.ts'

/** A connection to a Redis server, as any client of it has one. */
export async function openRedis(
  _database: string,
  connect: (wire: RedisWire) => Promise<StatementTarget>,
): Promise<Link<RedisAnswers>> {
  const wire = new RedisWire({ version: undefined, program: 'Sallyport terminal' })
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers: (host) => new RedisAnswers(host),
    encode: (text) => commandBytes(inlineArguments(Buffer.from(text)) ?? []),
  })
}
