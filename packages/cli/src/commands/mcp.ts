import { ApiError, type Client } from '@sallyport/client'
import type { Command, Context } from '../command.ts'

const PATH = '/api/mcp'
const SESSION_HEADER = 'mcp-session-id'
/** Characters of one message. */
const MESSAGE_LENGTH = 512 * 1024
/** Messages on their way at a time: more are not read until one of them is answered. */
const ON_THEIR_WAY = 16
/** Tools wait less than a minute, then answer. */
const TIMEOUT_MS = 120_000

/** A message of JSON-RPC, as far as this bridge reads it. */
interface Message {
  id?: string | number
  method?: string
}

export const mcp: Command = {
  does: 'be the MCP server of an agent, on standard input and output',
  usage: '',
  async run(context) {
    const bridge = new Bridge(context)
    for await (const line of linesOf(process.stdin)) await bridge.take(line)
    await bridge.end()
    return undefined
  },
}

/** Passes each message of a client to the server, and its answer back. */
class Bridge {
  readonly #context: Context
  readonly #client: Client
  readonly #onTheirWay = new Set<Promise<void>>()
  /** Name of this client at the server. */
  #session: string | undefined

  constructor(context: Context) {
    this.#context = context
    this.#client = context.client()
  }

  async take(line: string | undefined): Promise<void> {
    while (this.#onTheirWay.size >= ON_THEIR_WAY) await Promise.race(this.#onTheirWay)
    const passed = this.#pass(line).finally(() => this.#onTheirWay.delete(passed))
    this.#onTheirWay.add(passed)
    // The name of the client comes with the first one, and is in all others.
    if (!this.#session) await passed
  }

  async end(): Promise<void> {
    await Promise.all(this.#onTheirWay)
  }

  async #pass(line: string | undefined): Promise<void> {
    const { say, tell } = this.#context
    let message: Message
    try {
      message = JSON.parse(line ?? '') as Message
      if (typeof message !== 'object' || message === null || Array.isArray(message))
        return answer({ id: null, error: { code: -32600, message: say('The message is no JSON object') } })
    } catch {
      const words = line === undefined ? say('The message is too long') : say('The message is no JSON')
      return answer({ id: null, error: { code: -32700, message: words } })
    }
    try {
      const answered = await this.#client.open('POST', PATH, {
        body: line,
        timeout: TIMEOUT_MS,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(this.#session ? { [SESSION_HEADER]: this.#session } : {}),
        },
      })
      this.#session = answered.headers.get(SESSION_HEADER) ?? this.#session
      const text = await answered.text()
      if (text) answer(JSON.parse(text) as object)
    } catch (error) {
      const words =
        error instanceof ApiError && error.status === 401
          ? say('Your sign-in has ended: sallyport login')
          : (error as Error).message
      if (message.id === undefined) tell(`sallyport: ${words}`)
      else answer({ id: message.id, error: { code: -32000, message: words } })
    }
  }
}

/** One line for each message: no text of a target can break it. */
const answer = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** Lines without their breaks; undefined for one that is too long, which is not kept. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let isTooLong = false
  for await (const bytes of input) {
    const [first = '', ...more] = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n')
    const lines = [first, ...more]
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (isTooLong || line.length > MESSAGE_LENGTH) yield undefined
      else if (line.trim()) yield line
      isTooLong = false
    }
    if (rest.length > MESSAGE_LENGTH) {
      isTooLong = true
      rest = ''
    }
  }
  if (rest.trim()) yield rest
}
