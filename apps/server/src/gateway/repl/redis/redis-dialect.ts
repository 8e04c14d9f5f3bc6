import { plainText } from '../../prompt/plain-text.ts'
import { commandText } from '../../protocols/redis/command-text.ts'
import { whyForbidden } from '../../protocols/redis/forbidden-commands.ts'
import { inlineArguments } from '../../protocols/redis/inline-command.ts'
import { notice } from '../../session/notice.ts'
import type { CommandEffect, Dialect } from '../dialect.ts'
import type { Piece } from '../sql/statements.ts'
import type { RedisAnswers } from './redis-answers.ts'

const OWN = /^(?:\\?(?:q|quit|exit|help|\?|clear))$/i
/** The server sends what comes by itself, which a prompt has no place for. */
const FOLLOWS = /^(?:[ps]?subscribe)$/i
const SECRETS = /^(?:auth|hello)$/i
const NOT_FOLLOWED = notice(
  'denied',
  'Messages cannot be followed in this terminal: use a client of Redis',
  {},
  'urgent',
)
const SLOW_MS = 500
const SECOND = 1000
const HELP = [
  'One command a line, as redis-cli takes it: quotes and escapes in arguments ("a\\nb", "\\x00").',
  'quit or Ctrl-D  quit',
  'Ctrl-C          breaks off the command that waits · Ctrl-R searches the history · Tab completes commands',
]
const COMMANDS =
  'APPEND BITCOUNT BLPOP BRPOP CLIENT CONFIG COPY DBSIZE DECR DECRBY DEL DISCARD DUMP ECHO EVAL EXEC EXISTS EXPIRE EXPIREAT EXPIRETIME FLUSHALL FLUSHDB GEOADD GEOSEARCH GET GETDEL GETEX GETRANGE HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSCAN HSET HVALS INCR INCRBY INFO KEYS LINDEX LINSERT LLEN LPOP LPUSH LRANGE LREM LSET LTRIM MEMORY MGET MOVE MSET MULTI OBJECT PERSIST PEXPIRE PING PTTL PUBLISH PUBSUB RANDOMKEY RENAME RESTORE RPOP RPUSH SADD SCAN SCARD SDIFF SELECT SET SETEX SETNX SINTER SISMEMBER SLOWLOG SMEMBERS SORT SPOP SRANDMEMBER SREM SSCAN STRLEN SUNION TIME TOUCH TTL TYPE UNLINK WATCH XADD XINFO XLEN XRANGE XREAD ZADD ZCARD ZCOUNT ZINCRBY ZRANGE ZRANK ZREM ZREVRANGE ZSCAN ZSCORE'.split(
    ' ',
  )

/** Commands that people know from `redis-cli`. */
export function redisDialect(): Dialect<RedisAnswers> {
  return {
    style: 'lines',
    layout: 'auto',
    endsWithConnection: true,
    greeting: ({ wire }) => [`Redis - ${plainText(wire.place.database)}. help, quit`],
    prompts({ answers, wire }) {
      const database = answers.database || plainText(wire.place.database)
      return { first: `redis[${database}]${answers.isInTransaction ? '(TX)' : ''}> `, more: '' }
    },
    isComplete: () => true,
    pieces: (text) => text.split('\n').flatMap(pieceOf),
    command: redisCommand,
    async complete(before) {
      const word = /^\s*(\w+)$/.exec(before)?.[1]
      if (!word) return undefined
      const isSmall = word === word.toLowerCase()
      const candidates = COMMANDS.filter((one) => one.startsWith(word.toUpperCase()))
      return { length: word.length, candidates: isSmall ? candidates.map((one) => one.toLowerCase()) : candidates }
    },
    summary: () => [],
    timing: (milliseconds) => (milliseconds < SLOW_MS ? [] : [`(${(milliseconds / SECOND).toFixed(2)}s)`]),
    isAskable: () => false,
  }
}

/** As the command is judged and kept; what has a secret in it is not even that. */
function pieceOf(line: string): Piece[] {
  const own = line.trim()
  if (!own) return []
  const parts = inlineArguments(Buffer.from(own))
  if (!parts) return [{ text: '', ending: 'command' }]
  const name = parts[0]?.toString('latin1') ?? ''
  if (OWN.test(own) || FOLLOWS.test(name)) return [{ text: name, ending: 'command' }]
  if (SECRETS.test(name)) return [{ text: name.toLowerCase(), ending: 'command' }]
  return [{ text: commandText(parts), ending: 'plain' }]
}

function redisCommand(text: string): CommandEffect {
  const name = text.replace(/^\\/, '').toLowerCase()
  if (['q', 'quit', 'exit'].includes(name)) return { does: 'leave' }
  if (name === 'clear') return { does: 'say', lines: [] }
  if (name === 'help' || name === '?') return { does: 'say', lines: HELP }
  if (!name) return { does: 'say', lines: ['Invalid argument(s)'] }
  const why = whyForbidden([Buffer.from('auth')], { isInTransaction: false, database: '' })
  if (SECRETS.test(name) && why) return { does: 'refuse', why }
  return { does: 'refuse', why: NOT_FOLLOWED }
}
