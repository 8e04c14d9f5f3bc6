import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ProtocolViolation } from '../protocol-violation.ts'

const derive = promisify(pbkdf2)
/**
 * Limit of SCRAM; a server that asks for more would keep this one busy. PostgreSQL's own is 4,096.
 */
const MAX_ITERATIONS = 1_000_000
const ITERATIONS = 4096
/** No channel binding (RFC 5802 §6): the certificate is pinned instead. */
const GS2_HEADER = 'n,,'

/** As a server proves a password that it has stored as MD5 (§53.2.2). */
export function md5Proof(username: string, password: string, salt: Buffer): string {
  const inner = md5(Buffer.from(password + username))
  return `md5${md5(Buffer.concat([Buffer.from(inner), salt]))}`
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

/** Value that a server stores of a password as MD5, and takes in its place (§53.2.2). */
export const md5Verifier = (username: string, password: string): string => `md5${md5(Buffer.from(password + username))}`

/** Value that a server stores of a password for SCRAM, and takes in its place (RFC 5803). */
export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(16)
  const salted = await derive(prepared(password), salt, ITERATIONS, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64')
  const serverKey = hmac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** SASLprep (RFC 4013), as far as it changes what people use as passwords. */
const prepared = (password: string) => password.normalize('NFKC')

/** The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677). */
export class ScramProof {
  readonly #password: string
  readonly #nonce = randomBytes(18).toString('base64')
  #expected: Buffer | undefined

  constructor(password: string) {
    this.#password = prepared(password)
  }

  /** The name is the one of the connection: PostgreSQL takes none here. */
  get #bare(): string {
    return `n=,r=${this.#nonce}`
  }

  first(): string {
    return GS2_HEADER + this.#bare
  }

  /** Answers the server's first message. Throws ProtocolViolation. */
  async final(serverFirst: string): Promise<string> {
    const { r: nonce = '', s: salt = '', i = '' } = attributes(serverFirst)
    const iterations = Number(i)
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length || !salt)
      throw new ProtocolViolation('SCRAM: invalid first message of the server')
    if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS)
      throw new ProtocolViolation('SCRAM: invalid number of iterations')
    const salted = await derive(this.#password, Buffer.from(salt, 'base64'), iterations, 32, 'sha256')
    const withoutProof = `c=${Buffer.from(GS2_HEADER).toString('base64')},r=${nonce}`
    const signed = `${this.#bare},${serverFirst},${withoutProof}`
    const clientKey = hmac(salted, 'Client Key')
    const signature = hmac(createHash('sha256').update(clientKey).digest(), signed)
    this.#expected = hmac(hmac(salted, 'Server Key'), signed)
    const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))
    return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`
  }

  /** Throws ProtocolViolation when the server does not know the password itself. */
  verify(serverFinal: string): void {
    const shown = Buffer.from(attributes(serverFinal).v ?? '', 'base64')
    const expected = this.#expected
    if (!expected || shown.length !== expected.length || !timingSafeEqual(shown, expected))
      throw new ProtocolViolation('SCRAM: the server could not prove that it knows the password')
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

function attributes(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').map((part) => [part[0] ?? '', part.slice(2)]))
}
