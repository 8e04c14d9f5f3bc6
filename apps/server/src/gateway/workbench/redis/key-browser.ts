import { isUtf8 } from 'node:buffer'
import type { AnswerTo } from '@sallyport/contract/socket/asking.ts'
import type { KEY_ANSWERS, KeyName, KeyQuestion } from '@sallyport/contract/socket/keys.ts'
import type { ShownValue } from '@sallyport/contract/socket/workbench.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { commandText } from '../../protocols/redis/command-text.ts'
import type { RedisWire } from '../../protocols/redis/redis-wire.ts'
import { NOBODY } from '../../repl/answers.ts'
import type { Link } from '../../repl/link.ts'
import { redisLink } from '../../repl/redis/open-redis.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { KINDS, type Kind, lastCharacter, type Page } from './kinds.ts'
import { RedisReplies, type RedisReply, type RedisText } from './redis-replies.ts'

export type KeyAnswer = AnswerTo<typeof KEY_ANSWERS>

/** A refusal of a server, in its own words or those of a rule. */
export class KeyRefusal extends Error {}

const PROGRAM = 'Sallyport workbench'
/** A page of keys ends with the first look that has brought so many, or after so many looks. */
const PAGE_KEYS = 500
const LOOKS_MAX = 20
/** The server looks at so many keys at a time, in which others wait. */
const LOOK_KEYS = 1000
/** A page that asks more is not heard. */
const WAITING_MAX = 20

/**
 * Looks at the keys of a Redis server, page by page: never at all of them at once, so that others do
 * not wait. Each command is judged and recorded as what any client sends.
 */
export class KeyBrowser {
  readonly #link: Link<RedisReplies>
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(link: Link<RedisReplies>) {
    this.#link = link
  }

  static async open(connect: (wire: RedisWire) => Promise<StatementTarget>): Promise<KeyBrowser> {
    return new KeyBrowser(await redisLink(connect, PROGRAM, (host) => new RedisReplies(host)))
  }

  /** See `Link.start`. */
  start(onEnd: (end: StreamEnd) => void): Promise<void> {
    return this.#link.start(onEnd)
  }

  get database(): string {
    return this.#link.wire.place.database
  }

  /** Undefined where too much is asked. Throws KeyRefusal. */
  ask(question: KeyQuestion): Promise<KeyAnswer> | undefined {
    if (this.#waiting >= WAITING_MAX) return undefined
    this.#waiting++
    const answer = this.#turn.then(() => this.#answer(question)).finally(() => void this.#waiting--)
    this.#turn = answer.catch(() => {})
    return answer
  }

  /** Withdraws the command that waits to be confirmed. */
  cancel(): void {
    this.#link.cancel()
  }

  #answer(question: KeyQuestion): Promise<KeyAnswer> {
    switch (question.about) {
      case 'keys':
        return this.#keys(question)
      case 'key':
        return this.#key(bytesOf(question.key))
      case 'elements':
        return this.#elements(bytesOf(question.key), KINDS[question.type], question.from)
    }
  }

  async #keys({ cursor, pattern, type }: Extract<KeyQuestion, { about: 'keys' }>): Promise<KeyAnswer> {
    const wanted = [...(pattern ? ['MATCH', pattern] : []), 'COUNT', String(LOOK_KEYS), ...(type ? ['TYPE', type] : [])]
    const total = cursor === '0' ? await this.#number('DBSIZE') : undefined
    const keys: KeyName[] = []
    let next = cursor
    for (let looks = 0; looks < LOOKS_MAX && keys.length < PAGE_KEYS; looks++) {
      const [cursor, found] = listOf(await this.#run('SCAN', next, ...wanted))
      // One that is not here whole could not be asked for.
      keys.push(...listOf(found).flatMap((one) => (isText(one) && !one.isCut ? [nameOf(one.bytes)] : [])))
      next = textOf(cursor)
      if (next === '0') break
    }
    return { keys, next, total }
  }

  async #key(key: Buffer): Promise<KeyAnswer> {
    const type = textOf(await this.#run('TYPE', key))
    const expiresIn = await this.#number('PTTL', key)
    const kind = Object.hasOwn(KINDS, type) ? KINDS[type as Kind] : undefined
    return {
      type,
      expiresIn: expiresIn !== undefined && expiresIn >= 0 ? expiresIn : undefined,
      bytes: await this.#number('MEMORY', 'USAGE', key),
      length: kind && (await this.#number(kind.length, key)),
    }
  }

  async #elements(key: Buffer, kind: (typeof KINDS)[Kind], from: string): Promise<KeyAnswer> {
    const page: Page = kind.read(await this.#run(...kind.command(key, from)), from)
    return { ...page, rows: page.rows.map((row) => row.map(shown)), isCut: this.#link.answers.isCut }
  }

  /** Undefined where the account may not know, or the server is too old. */
  async #number(...parts: (string | Buffer)[]): Promise<number | undefined> {
    try {
      const reply = await this.#run(...parts)
      return isText(reply) ? Number(textOf(reply)) : undefined
    } catch (error) {
      if (error instanceof KeyRefusal) return undefined
      throw error
    }
  }

  /** Throws KeyRefusal. */
  async #run(...parts: (string | Buffer)[]): Promise<RedisReply> {
    const { answers } = this.#link
    await this.#link.run(commandText(parts.map((part) => Buffer.from(part))), NOBODY)
    const { last } = answers
    if (last && 'error' in last) throw new KeyRefusal(last.error)
    return last
  }
}

const isText = (reply: RedisReply | undefined): reply is RedisText =>
  reply !== null && reply !== undefined && 'bytes' in reply
const textOf = (reply: RedisReply | undefined) => (isText(reply) ? reply.bytes.toString() : '')
const listOf = (reply: RedisReply | undefined) => (Array.isArray(reply) ? reply : [])

const nameOf = (bytes: Buffer): KeyName => (isUtf8(bytes) ? bytes.toString() : [bytes.toString('hex')])
const bytesOf = (key: KeyName) => (Array.isArray(key) ? Buffer.from(key[0], 'hex') : Buffer.from(key))

/** Text as such, anything else as bytes; of a long value that it is cut. */
function shown(reply: RedisReply): ShownValue {
  if (!isText(reply)) return null
  const { bytes, isCut } = reply
  const whole = isCut ? bytes.subarray(0, lastCharacter(bytes)) : bytes
  const text = isUtf8(whole) ? whole.toString() : `0x${bytes.toString('hex')}`
  return isCut ? [text] : text
}
