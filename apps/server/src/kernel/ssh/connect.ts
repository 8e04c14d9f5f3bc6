import { connect as connectTcp, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import ssh2 from 'ssh2'

/** What is known of a server's host key, and who decides about one that it shows. */
export interface HostKeyCheck {
  /** Types of the keys already trusted for this server. They are asked for first: a server with several keys must not show one never seen. */
  knownTypes(): Promise<readonly string[]>
  /** Decides about the key in wire format; `accepted: false` ends the connection before any secret is sent. */
  decide(key: Buffer): Promise<{ accepted: boolean; fingerprint: string; trusted: readonly string[] }>
}

/** One server on the way: a gateway or, last, the target. */
export interface SshHop {
  host: string
  port: number
  username: string
  password: string
  privateKey: string
  hostKey: HostKeyCheck
  /** Answers a question that the server asks beyond the password; undefined leaves it empty. */
  answer?(prompt: string, echo: boolean): Promise<string | undefined>
}

export type SshFailure = 'host_key_changed' | 'authentication' | 'unreachable' | 'timeout'

/** Why a connection could not be made, and at which hop (0 is the first). */
export class SshError extends Error {
  readonly failure: SshFailure
  readonly hop: number
  /** The key that was refused and the ones that are trusted, for `host_key_changed`. */
  readonly hostKey: { fingerprint: string; trusted: readonly string[] } | undefined

  constructor(
    failure: SshFailure,
    hop: number,
    message: string,
    options: { cause?: unknown; hostKey?: { fingerprint: string; trusted: readonly string[] } } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'SshError'
    this.failure = failure
    this.hop = hop
    this.hostKey = options.hostKey
  }
}

export interface SshConnection {
  /** Signed in at the last hop. */
  client: ssh2.Client
  /** Ends all hops, the last one first. */
  close(): void
}

/** Newest first; ssh-dss is not offered at all. */
const HOST_KEY_ALGORITHMS: readonly ssh2.ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
]

/**
 * Connects through every hop in turn; each is checked by its own host key before a secret goes out to it.
 * `timeoutMs` is for each hop. Throws SshError; nothing stays open then.
 */
export async function connectSsh(
  hops: readonly SshHop[],
  { timeoutMs, keepaliveMs = 0 }: { timeoutMs: number; keepaliveMs?: number },
): Promise<SshConnection> {
  const clients: ssh2.Client[] = []
  const close = () => {
    for (const client of clients.splice(0).reverse()) client.end()
  }
  try {
    for (const [index, hop] of hops.entries()) {
      const previous = clients.at(-1)
      const stream = previous ? await forward(previous, hop, index, timeoutMs) : await dial(hop, index, timeoutMs)
      const client = await signIn(stream, hop, index, timeoutMs, keepaliveMs)
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

function dial({ host, port }: SshHop, index: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Nagle would cost a round trip per packet of a file transfer: 24 s instead of 4 s for 1 GB.
    const socket = connectTcp({ host, port, noDelay: true })
    const timer = setTimeout(() => fail(new SshError('timeout', index, 'The connection timed out')), timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error instanceof SshError ? error : new SshError('unreachable', index, error.message, { cause: error }))
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

function forward(gateway: ssh2.Client, { host, port }: SshHop, index: number, timeoutMs: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new SshError('timeout', index, 'The connection timed out')), timeoutMs)
    gateway.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
      clearTimeout(timer)
      if (error) reject(new SshError('unreachable', index, error.message, { cause: error }))
      else resolve(stream)
    })
  })
}

async function signIn(stream: Duplex, hop: SshHop, index: number, timeoutMs: number, keepaliveMs: number): Promise<ssh2.Client> {
  const known = await hop.hostKey.knownTypes()
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client()
    let refusal: SshError | undefined
    const timer = setTimeout(() => fail(new SshError('timeout', index, 'The connection timed out')), timeoutMs)
    const fail = (error: Error & { level?: string }) => {
      clearTimeout(timer)
      client.removeAllListeners()
      client.on('error', () => {})
      client.end()
      stream.destroy()
      reject(refusal ?? (error instanceof SshError ? error : toSshError(error, index)))
    }
    client.once('error', fail)
    client.once('close', () => fail(new Error('The connection was closed')))
    client.once('ready', () => {
      clearTimeout(timer)
      client.removeAllListeners()
      resolve(client)
    })
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
      void answerPrompts(hop, prompts).then(finish, () => finish([]))
    })
    try {
      client.connect({
        sock: stream as Socket,
        username: hop.username,
        ...(hop.password ? { password: hop.password } : {}),
        ...(hop.privateKey ? { privateKey: hop.privateKey } : {}),
        tryKeyboard: Boolean(hop.password || hop.answer),
        readyTimeout: timeoutMs,
        keepaliveInterval: keepaliveMs,
        algorithms: { serverHostKey: orderedBy(known) },
        hostVerifier: (key: Buffer, verify: (accepted: boolean) => void) => {
          hop.hostKey.decide(key).then(
            ({ accepted, fingerprint, trusted }) => {
              if (!accepted)
                refusal = new SshError('host_key_changed', index, 'The host key has changed', { hostKey: { fingerprint, trusted } })
              verify(accepted)
            },
            (error) => fail(error as Error),
          )
        },
      })
    } catch (error) {
      // ssh2 throws for a private key that it can't read.
      fail(error as Error)
    }
  })
}

/** The first hidden question is for the password; further ones go to `answer`. */
async function answerPrompts(hop: SshHop, prompts: readonly { prompt: string; echo?: boolean }[]): Promise<string[]> {
  const answers: string[] = []
  let usedPassword = false
  for (const { prompt, echo = false } of prompts) {
    if (!echo && hop.password && !usedPassword) {
      usedPassword = true
      answers.push(hop.password)
    } else {
      answers.push((await hop.answer?.(prompt, echo)) ?? '')
    }
  }
  return answers
}

function toSshError(error: Error & { level?: string }, index: number): SshError {
  if (error.level === 'client-authentication')
    return new SshError('authentication', index, 'The server refused the login', { cause: error })
  if (error.level === 'client-timeout') return new SshError('timeout', index, 'The connection timed out', { cause: error })
  return new SshError('unreachable', index, error.message, { cause: error })
}

/** Algorithms whose keys are known, first. RSA keys are one type on three signature algorithms. */
function orderedBy(known: readonly string[]): ssh2.ServerHostKeyAlgorithm[] {
  const isKnown = (algorithm: string) => known.includes(algorithm.startsWith('rsa-sha2') ? 'ssh-rsa' : algorithm)
  return [...HOST_KEY_ALGORITHMS.filter(isKnown), ...HOST_KEY_ALGORITHMS.filter((algorithm) => !isKnown(algorithm))]
}
