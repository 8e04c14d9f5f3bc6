import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { commandBytes } from '../../protocols/redis/command-walker.ts'
import { inlineArguments } from '../../protocols/redis/inline-command.ts'
import { RedisWire } from '../../protocols/redis/redis-wire.ts'
import type { AnswerHost, Answers } from '../answers.ts'
import { Link } from '../link.ts'
import { RedisAnswers } from './redis-answers.ts'

type Connect = (wire: RedisWire) => Promise<StatementTarget>

/** A connection to a Redis server, as any client of it has one. */
export const openRedis = (_database: string, connect: Connect): Promise<Link<RedisAnswers>> =>
  redisLink(connect, 'Sallyport terminal', (host) => new RedisAnswers(host))

/** Commands go over it as `redis-cli` takes them, one a line. `program`: what it calls itself. */
export async function redisLink<A extends Answers>(
  connect: Connect,
  program: string,
  answers: (host: AnswerHost) => A,
): Promise<Link<A>> {
  const wire = new RedisWire({ version: undefined, program })
  const target = await connect(wire)
  return new Link({
    target,
    wire,
    answers,
    encode: (text) => commandBytes(inlineArguments(Buffer.from(text)) ?? []),
  })
}
