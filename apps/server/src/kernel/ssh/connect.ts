import { connect as connectTcp, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type ssh2 from 'ssh2'
import { ClosedAddress } from '../outbound/closed-addresses.ts'
import { judgedPlace } from '../outbound/judged-lookup.ts'
import { judgeBeyondGateway, type TargetAddresses } from '../outbound/target-addresses.ts'
import { ALGORITHMS, CERTIFIED_HOST_KEYS, HOST_KEY_ALGORITHMS } from './algorithms.ts'
import { certifiedLogin } from './certificates/certified-login.ts'
import type { CertifiedKey } from './certificates/user-certificate.ts'
import { gatherWrites } from './gather-writes.ts'
import { Client } from './ssh2/index.ts'

/** The known host key of a server, and the code that decides about the key it shows. */
export interface HostKeyCheck {
  expected(): Promise<ExpectedKeys>
  /**
   * Decides about a key or certificate in wire format; `accepted: false` ends the connection before any secret is
   * sent.
   */
  decide(key: Buffer): Promise<ShownHostKey & { accepted: boolean }>
}

export interface ExpectedKeys {
  /**
   * Types of the keys trusted for this server, which are asked for first: a server with several
   * keys must not show one that was never seen.
   */
  types: readonly string[]
  /** Whether a certificate may vouch for its key: then those are asked for before all others. */
  certified: boolean
}

export interface ShownHostKey {
  fingerprint: string
  /** Fingerprints that are trusted instead. */
  trusted: readonly string[]
  /** The server was moved to this address, and nobody has confirmed that yet. */
  isMoved: boolean
  /** Why a certificate was refused that a trusted authority has signed, as an English sentence. */
  fault?: string
}

/** One server on the way: a gateway or, as the last, the target. */
export interface SshHop {
  host: string
  port: number
  username: string
  password: string
  privateKey: string
  /** Keys with certificates, offered in turn before all else. */
  certifiedKeys?: readonly CertifiedKey[]
  /** Called with the one of them that the server took. */
  onCertified?(key: CertifiedKey): void
  hostKey: HostKeyCheck
  /**
   * Answers a question that the server asks besides the password; undefined leaves it empty. An
   * error that it throws ends the connection and is rethrown.
   */
  answer?(prompt: string, echo: boolean): Promise<string | undefined>
}

/**
 * `closed`: no connection is made to this address (kernel/outbound/). `certificate`: a certificate was
 * refused, with which alone somebody would have logged in; `no_authority`: nobody could certify.
 */
export type SshFailure =
  | 'closed'
  | 'host_key_changed'
  | 'authentication'
  | 'certificate'
  | 'no_authority'
  | 'unreachable'
  | 'timeout'

/** Why a connection could not be made, and at which hop (0 is the first). */
export class SshError extends Error {
  readonly failure: SshFailure
  readonly hop: number
  /** For `host_key_changed`: the key that was refused, and those that are trusted. */
  readonly hostKey: ShownHostKey | undefined

  constructor(
    failure: SshFailure,
    hop: number,
    message: string,
    options: { cause?: unknown; hostKey?: ShownHostKey } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'SshError'
    this.failure = failure
    this.hop = hop
    this.hostKey = options.hostKey
  }
}

export interface SshConnection {
  /** Logged in at the last hop. */
  client: ssh2.Client
  /** Ends all hops, the last one first. */
  close(): void
}

export interface ConnectOptions {
  /** Which addresses are connected to from here; without it all. */
  addresses?: TargetAddresses
  /** For each hop, without the time in which a person answers a question. */
  timeoutMs: number
  /**
   * How often a silent server is asked whether it is there; after three unanswered questions the
   * connection ends. 0: never.
   */
  keepaliveMs?: number
  /** Cancels; its reason is thrown. */
  signal?: AbortSignal
}

/** A server that does not hang up within this time after being asked is disconnected. */
const CLOSE_LIMIT_MS = 2000

/**
 * Connects through all hops in turn, each checked by its own host key before a secret is sent to
 * it. Throws SshError; nothing stays open then.
 */
export async function connectSsh(
  hops: readonly SshHop[],
  { addresses, timeoutMs, keepaliveMs = 0, signal }: ConnectOptions,
): Promise<SshConnection> {
  const clients: ssh2.Client[] = []
  const close = () => {
    for (const client of clients.splice(0).reverse()) {
      client.end()
      setTimeout(() => client.destroy(), CLOSE_LIMIT_MS).unref()
    }
  }
  try {
    for (const [index, hop] of hops.entries()) {
      const limits = { index, addresses, timeoutMs, signal }
      const previous = clients.at(-1)
      const stream = previous ? await forward(previous, hop, limits) : await dial(hop, limits)
      const client = await signIn(stream, hop, keepaliveMs, limits)
      // The next hops must not outlive this one, and a late error must not end the process.
      client.on('error', () => {}).on('close', close)
      clients.push(client)
    }
    const client = clients.at(-1)
    if (!client) throw new Error('no hop to connect to')
    return { client, close }
  } catch (error) {
    close()
    throw error
  }
}

/** A connection for another protocol. */
export interface PlainConnection {
  stream: Duplex
  /** Ends it, and all hops before it. */
  close(): void
}

/**
 * Connects to an address, from the last hop or, without hops, from here. Throws SshError; nothing
 * stays open then.
 */
export async function connectPlain(
  hops: readonly SshHop[],
  to: Address,
  options: ConnectOptions,
): Promise<PlainConnection> {
  const { addresses, timeoutMs, signal } = options
  const limits = { index: hops.length, addresses, timeoutMs, signal }
  if (!hops.length) {
    const socket = await dial(to, limits)
    return { stream: socket, close: () => socket.destroy() }
  }
  const { client, close } = await connectSsh(hops, options)
  try {
    const stream = await forward(client, to, limits)
    // A late error must not end the process.
    stream.on('error', () => {}).once('close', close)
    return {
      stream,
      close() {
        stream.destroy()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

interface Address {
  host: string
  port: number
}

interface StepLimits {
  index: number
  addresses: TargetAddresses | undefined
  timeoutMs: number
  signal: AbortSignal | undefined
}

interface Step<T> {
  done(value: T): void
  /** The first call counts. */
  fail(error: unknown): void
  pauseClock(): void
  runClock(): void
}

/**
 * One step of connecting, bounded in time and cancelled by the signal. `begin` returns how to undo
 * it when the step fails.
 */
function step<T>({ index, timeoutMs, signal }: StepLimits, begin: (step: Step<T>) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let over = false
    let failed = false
    let takeBack: (() => void) | undefined
    const settle = (): boolean => {
      if (over) return false
      over = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      return true
    }
    const fail = (error: unknown) => {
      if (!settle()) return
      failed = true
      takeBack?.()
      reject(error)
    }
    const onAbort = () => fail(signal?.reason)
    const runClock = () => {
      clearTimeout(timer)
      if (!over) timer = setTimeout(() => fail(new SshError('timeout', index, 'The connection timed out')), timeoutMs)
    }
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', onAbort)
    runClock()
    takeBack = begin({
      done: (value) => void (settle() && resolve(value)),
      fail,
      pauseClock: () => clearTimeout(timer),
      runClock,
    })
    if (failed) takeBack()
  })
}

function dial({ host, port }: Address, limits: StepLimits): Promise<Socket> {
  const { addresses, index } = limits
  const failed = (error: Error) =>
    new SshError(error instanceof ClosedAddress ? 'closed' : 'unreachable', index, error.message, { cause: error })
  return step(limits, ({ done, fail }) => {
    let place: ReturnType<typeof judgedPlace>
    try {
      place = judgedPlace({ host, port }, (address) => addresses?.judge(address, port))
    } catch (error) {
      fail(failed(error as Error))
      return () => {}
    }
    // Nagle would cost a round trip per packet of a file transfer: 24 s instead of 4 s for 1 GB.
    const socket = connectTcp({ ...place, noDelay: true })
    // Stays attached: a late error must not end the process.
    socket.on('error', (error) => fail(failed(error)))
    socket.once('connect', () => done(socket))
    return () => socket.destroy()
  })
}

/**
 * Reasons of a failed channel that concern the gateway itself (RFC 4254 §5.1): it forbids
 * forwarding, or has no room.
 */
const GATEWAY_REFUSALS: ReadonlySet<unknown> = new Set([1, 4])

function forward(gateway: ssh2.Client, { host, port }: Address, limits: StepLimits): Promise<Duplex> {
  return step(limits, ({ done, fail }) => {
    const refusal = judgeBeyondGateway(host)
    if (refusal) {
      fail(new SshError('closed', limits.index, refusal.message, { cause: refusal }))
      return () => {}
    }
    gateway.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
      if (!error) return done(stream)
      const atGateway = GATEWAY_REFUSALS.has((error as { reason?: unknown }).reason)
      fail(new SshError('unreachable', atGateway ? limits.index - 1 : limits.index, error.message, { cause: error }))
    })
    // A stream that opens too late is closed with its gateway.
    return () => {}
  })
}

async function signIn(stream: Duplex, hop: SshHop, keepaliveMs: number, limits: StepLimits): Promise<ssh2.Client> {
  const { types, certified } = await hop.hostKey.expected().catch((error) => {
    stream.destroy()
    throw error
  })
  // Closed meanwhile: nobody would tell the client, and it would wait until its time was up.
  if (stream.destroyed) throw new SshError('unreachable', limits.index, 'The connection was closed')
  return step(limits, ({ done, fail, pauseClock, runClock }) => {
    const client = new Client()
    const failHere = (error: Error & { level?: string }) => fail(toSshError(error, limits.index, hop))
    client.on('error', failHere)
    client.once('close', () => failHere(new Error('The connection was closed')))
    const methods = methodsInTurn(hop)
    client.once('ready', () => {
      client.removeAllListeners()
      const certified = methods.lastCertified()
      if (certified) hop.onCertified?.(certified)
      done(client)
    })
    const questions = new Questions(hop, async (ask) => {
      // Only a person's time is not counted: a server that keeps asking what nobody needs to think
      // about must not hold the connection for ever.
      pauseClock()
      const answer = await ask()
      runClock()
      return answer
    })
    client.on('keyboard-interactive', (name, instructions, _language, prompts, finish) => {
      questions.answer(prompts, [name, instructions]).then(finish, fail)
    })
    const decide = async (key: Buffer) => {
      const { accepted, ...hostKey } = await hop.hostKey.decide(key)
      if (!accepted) fail(new SshError('host_key_changed', limits.index, 'The host key has changed', { hostKey }))
      return accepted
    }
    gatherWrites(stream)
    try {
      client.connect({
        sock: stream as Socket,
        username: hop.username,
        ...(hop.password ? { password: hop.password } : {}),
        ...(hop.privateKey ? { privateKey: hop.privateKey } : {}),
        tryKeyboard: Boolean(hop.password || hop.answer),
        authHandler: methods.next,
        readyTimeout: 0, // the step has its own time limit
        keepaliveInterval: keepaliveMs,
        algorithms: {
          ...ALGORITHMS,
          serverHostKey: [...(certified ? CERTIFIED_HOST_KEYS : []), ...orderedBy(types)],
        },
        hostVerifier: (key: Buffer, verify: (accepted: boolean) => void) => void decide(key).then(verify, fail),
      })
    } catch (error) {
      // ssh2 throws for a private key that it can't read.
      failHere(error as Error)
    }
    return () => {
      client.removeAllListeners()
      client.on('error', () => {})
      client.end()
      stream.destroy()
    }
  })
}

/**
 * The methods to log in by, each tried once and only where the server offers it; after a partial
 * success the server names those that are still needed.
 */
function methodsInTurn(hop: SshHop): { next: ssh2.AuthHandlerMiddleware; lastCertified(): CertifiedKey | undefined } {
  const ways: { type: ssh2.AuthenticationType; certified?: CertifiedKey }[] = (hop.certifiedKeys ?? []).map(
    (certified) => ({ type: 'publickey', certified }),
  )
  if (hop.privateKey) ways.push({ type: 'publickey' })
  if (hop.password) ways.push({ type: 'password' })
  if (hop.password || hop.answer) ways.push({ type: 'keyboard-interactive' })
  let lastKey: CertifiedKey | undefined
  const next = (offered: readonly ssh2.AuthenticationType[] | null) => {
    if (offered === null) return 'none' // asks what is offered
    const at = ways.findIndex(({ type }) => offered.includes(type))
    const [way] = at < 0 ? [] : ways.splice(at, 1)
    if (!way) return false
    if (!way.certified) return way.type
    lastKey = way.certified
    return { type: 'publickey', username: hop.username, key: certifiedLogin(way.certified) }
  }
  return { next: next as ssh2.AuthHandlerMiddleware, lastCertified: () => lastKey }
}

/** A prompt that no stored password answers. */
const ONE_TIME_CODE = /one.?time|\botp\b|code|token|verif|\bpin\b|验证|动态|一次性/i

/**
 * Answers keyboard-interactive prompts: the first hidden one that does not ask for a code gets the
 * password, all others go to the person.
 */
class Questions {
  readonly #hop: SshHop
  readonly #whileAPersonThinks: (ask: () => Promise<string | undefined>) => Promise<string | undefined>
  #passwordGiven = false

  constructor(
    hop: SshHop,
    whileAPersonThinks: (ask: () => Promise<string | undefined>) => Promise<string | undefined>,
  ) {
    this.#hop = hop
    this.#whileAPersonThinks = whileAPersonThinks
  }

  /**
   * `heading` is the server's text above its prompts, such as where a code was sent; the person
   * sees it once, with the first prompt for them.
   */
  async answer(prompts: readonly { prompt: string; echo?: boolean }[], heading: readonly string[]): Promise<string[]> {
    const answers: string[] = []
    const headings = heading.filter((line) => line.trim())
    for (const { prompt, echo = false } of prompts) {
      const { password, answer } = this.#hop
      if (!echo && password && !this.#passwordGiven && !ONE_TIME_CODE.test(prompt)) {
        this.#passwordGiven = true
        answers.push(password)
      } else {
        const question = [...headings.splice(0), prompt].join('\n')
        answers.push((answer && (await this.#whileAPersonThinks(() => answer(question, echo)))) ?? '')
      }
    }
    return answers
  }
}

function toSshError(error: Error & { level?: string }, index: number, hop: SshHop): SshError {
  const refused = hop.certifiedKeys?.length ? 'certificate' : 'authentication'
  if (error.level === 'client-authentication')
    return new SshError(refused, index, 'The server refused the login', { cause: error })
  if (error.level === 'client-timeout')
    return new SshError('timeout', index, 'The connection timed out', { cause: error })
  return new SshError('unreachable', index, error.message, { cause: error })
}

/** Algorithms of known keys first. RSA keys are one type with two signature algorithms. */
function orderedBy(known: readonly string[]): ssh2.ServerHostKeyAlgorithm[] {
  const isKnown = (algorithm: string) => known.includes(algorithm.startsWith('rsa-sha2') ? 'ssh-rsa' : algorithm)
  return [...HOST_KEY_ALGORITHMS.filter(isKnown), ...HOST_KEY_ALGORITHMS.filter((algorithm) => !isKnown(algorithm))]
}
