import { Queue } from '../../../kernel/queue.ts'
import type { Outcome, Statement } from '../../kinds/statements/streams.ts'
import type { Reply } from './reply-walker.ts'

type Family = 'channel' | 'pattern' | 'shard'
/** The answers to commands about messages, one for each channel. */
const CONFIRMATIONS: Readonly<Record<string, Family>> = {
  subscribe: 'channel',
  unsubscribe: 'channel',
  psubscribe: 'pattern',
  punsubscribe: 'pattern',
  ssubscribe: 'shard',
  sunsubscribe: 'shard',
}
/** Messages, which a server sends without being asked. */
const MESSAGES = new Set(['message', 'pmessage', 'smessage'])

/** An answer that a server will send. */
interface Expected {
  statement: Statement
  /** It may change the version of the protocol. */
  isHello: boolean
  /** Name and number of channels of a command that changes which messages come. */
  confirmed: { word: string; channels: number } | undefined
}

/**
 * Requests between one client and its server: which answer belongs to which command. A server
 * answers in the order of the requests, and sends messages in between.
 */
export class Exchange {
  /** A command is over. */
  onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}
  readonly #expected = new Queue<Expected>()
  /** Confirmations to come of the first; undefined when none has come. */
  #toCome: number | undefined
  /** Number of channels that send messages. */
  readonly #subscribed: { [F in Family]: number } = { channel: 0, pattern: 0, shard: 0 }
  /** Messages are of a type of their own, so that an answer which only looks like one is none (version 3). */
  #arePushes: boolean

  /** `version`: of the protocol at the beginning. */
  constructor(version: number | undefined) {
    this.#arePushes = version === 3
  }

  /** Whether the server has something to answer. */
  get isAwaited(): boolean {
    return this.#expected.length > 0
  }

  /** The client has asked for it; `name` in small letters. */
  asked(statement: Statement, name: string, channels: number): void {
    this.#expected.push({
      statement,
      isHello: name === 'hello',
      confirmed: Object.hasOwn(CONFIRMATIONS, name) ? { word: name, channels } : undefined,
    })
  }

  answered(reply: Reply): void {
    const { type, word = '' } = reply
    const family = Object.hasOwn(CONFIRMATIONS, word) ? CONFIRMATIONS[word] : undefined
    const isPush = type === 'push'
    if (family && (isPush || (type === 'array' && this.#head?.confirmed?.word === word)))
      this.#confirmed(word, family, reply.number ?? 0)
    else if (!isPush && !(type === 'array' && this.#hasMessages && !this.#arePushes && MESSAGES.has(word)))
      this.#over(reply)
  }

  get #head(): Expected | undefined {
    return this.#expected.head
  }

  get #hasMessages(): boolean {
    const { channel, pattern, shard } = this.#subscribed
    return channel + pattern + shard > 0
  }

  /** `number`: how many channels and patterns there are now, or shard channels. */
  #confirmed(word: string, family: Family, number: number): void {
    const subscribed = this.#subscribed
    const isAnswer = this.#head?.confirmed?.word === word
    // Without a name it is about all that there are, and answered once where there are none.
    if (isAnswer) this.#toCome ??= this.#head?.confirmed?.channels || Math.max(1, subscribed[family])
    const before = family === 'shard' ? subscribed.shard : subscribed.channel + subscribed.pattern
    subscribed[family] = Math.max(0, subscribed[family] + number - before)
    if (isAnswer && this.#toCome && !--this.#toCome) this.#over({ type: 'status' })
  }

  #over(reply: Reply): void {
    this.#toCome = undefined
    const head = this.#expected.shift()
    if (!head) return
    // It is answered in the version that it chooses.
    if (head.isHello && (reply.type === 'map' || reply.type === 'array')) this.#arePushes = reply.type === 'map'
    this.onOutcome(head.statement, outcomeOf(reply))
  }
}

function outcomeOf({ type, count, error }: Reply): Outcome {
  if (error === undefined) return count === undefined ? { reply: type } : { reply: type, rows: count }
  return { error, code: /^[A-Z][A-Z0-9]*/.exec(error)?.[0] }
}
