import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** RADIUS packets (RFC 2865): Access-Request with a password, and its answers. */

const ACCESS_REQUEST = 1
const ANSWERS: Readonly<Record<number, RadiusAnswer>> = { 2: 'accept', 3: 'reject', 11: 'challenge' }
const ATTRIBUTE = {
  userName: 1,
  userPassword: 2,
  class: 25,
  nasIdentifier: 32,
  proxyState: 33,
  messageAuthenticator: 80,
} as const
const HEADER = 20
const BLOCK = 16
const MAX_PACKET = 4096
export const MAX_NAME_BYTES = 253
export const MAX_PASSWORD_BYTES = 128

export type RadiusAnswer = 'accept' | 'reject' | 'challenge'

/** The answer of the server, and its classes of the person (RFC 2865 §5.25). */
export interface RadiusReply {
  answer: RadiusAnswer
  classes: string[]
}

export interface RadiusRequest {
  packet: Buffer
  id: number
  authenticator: Buffer
}

const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest()
const attribute = (type: number, value: Buffer) => Buffer.concat([Buffer.from([type, value.length + 2]), value])

/** Builds a request; name and password must fit MAX_NAME_BYTES and MAX_PASSWORD_BYTES. */
export function accessRequest(username: string, password: string, secret: string): RadiusRequest {
  const id = randomInt(256)
  const authenticator = randomBytes(BLOCK)
  // The first attribute, as recommended against forged responses (CVE-2024-3596): a change of the
  // request on its way would not match it.
  const empty = attribute(ATTRIBUTE.messageAuthenticator, Buffer.alloc(BLOCK))
  const packet = Buffer.concat([
    Buffer.from([ACCESS_REQUEST, id, 0, 0]),
    authenticator,
    empty,
    attribute(ATTRIBUTE.userName, Buffer.from(username)),
    attribute(ATTRIBUTE.userPassword, hide(Buffer.from(password), Buffer.from(secret), authenticator)),
    attribute(ATTRIBUTE.nasIdentifier, Buffer.from('sallyport')),
  ])
  packet.writeUInt16BE(packet.length, 2)
  createHmac('md5', secret)
    .update(packet)
    .digest()
    .copy(packet, HEADER + 2)
  return { packet, id, authenticator }
}

/** Hides the password (RFC 2865 §5.2). */
function hide(password: Buffer, secret: Buffer, authenticator: Buffer): Buffer {
  const hidden = Buffer.alloc(Math.max(1, Math.ceil(password.length / BLOCK)) * BLOCK)
  password.copy(hidden)
  let before = authenticator
  for (let start = 0; start < hidden.length; start += BLOCK) {
    const key = md5(secret, before)
    for (let n = 0; n < BLOCK; n++) hidden[start + n] = (hidden[start + n] ?? 0) ^ (key[n] ?? 0)
    before = hidden.subarray(start, start + BLOCK)
  }
  return hidden
}

/**
 * The answer to a request; undefined for any other packet, and for one that was made without the
 * secret.
 */
export function readAnswer(
  packet: Buffer,
  { id, authenticator }: RadiusRequest,
  secret: string,
): RadiusReply | undefined {
  const classes: string[] = []
  const answer = ANSWERS[packet[0] ?? 0]
  if (!answer || packet.length < HEADER || packet.length > MAX_PACKET || packet[1] !== id) return undefined
  const length = packet.readUInt16BE(2)
  if (length < HEADER || length > packet.length) return undefined
  const whole = packet.subarray(0, length)
  const attributes = whole.subarray(HEADER)
  const expected = md5(whole.subarray(0, 4), authenticator, attributes, Buffer.from(secret))
  if (!timingSafeEqual(expected, whole.subarray(4, HEADER))) return undefined
  for (let at = 0; at < attributes.length; ) {
    const size = attributes[at + 1] ?? 0
    if (size < 2 || at + size > attributes.length) return undefined
    const type = attributes[at]
    // We never send it: it can carry the bytes that turn a reject into an accept (CVE-2024-3596).
    if (type === ATTRIBUTE.proxyState) return undefined
    if (type === ATTRIBUTE.messageAuthenticator && !isGenuine(whole, HEADER + at, size, authenticator, secret))
      return undefined
    if (type === ATTRIBUTE.class) classes.push(wordsOf(attributes.subarray(at + 2, at + size)))
    at += size
  }
  return { answer, classes }
}

/** A class is bytes: a text where it is one, else in hexadecimal. */
function wordsOf(bytes: Buffer): string {
  const text = bytes.toString()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f\ufffd]/.test(text) ? `0x${bytes.toString('hex')}` : text
}

function isGenuine(packet: Buffer, at: number, size: number, authenticator: Buffer, secret: string): boolean {
  if (size !== BLOCK + 2) return false
  const asSigned = Buffer.from(packet)
  authenticator.copy(asSigned, 4)
  asSigned.fill(0, at + 2, at + size)
  return timingSafeEqual(createHmac('md5', secret).update(asSigned).digest(), packet.subarray(at + 2, at + size))
}
