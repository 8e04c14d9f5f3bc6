import { ProtocolViolation } from '../protocol-violation.ts'

/** Options that are agreed on before anybody signs in ([MS-TDS] §2.2.6.5). */
const OPTION = { version: 0, encryption: 1, end: 0xff } as const
const OPTION_BYTES = 5

/** How much is encrypted: by one end alone, all of it, or nothing. */
export const ENCRYPTION = { login: 0, all: 1, none: 2, required: 3 } as const

/** The body of a message with these options; the version is the sender's. */
export function preLogin(encryption: number, version: Buffer = Buffer.alloc(6)): Buffer {
  const options = [
    { token: OPTION.version, data: version },
    { token: OPTION.encryption, data: Buffer.of(encryption) },
  ]
  let offset = options.length * OPTION_BYTES + 1
  const heads = options.map(({ token, data }) => {
    const head = Buffer.alloc(OPTION_BYTES)
    head[0] = token
    head.writeUInt16BE(offset, 1)
    head.writeUInt16BE(data.length, 3)
    offset += data.length
    return head
  })
  return Buffer.concat([...heads, Buffer.of(OPTION.end), ...options.map(({ data }) => data)])
}

/** How much the other end encrypts, as such a body says. Throws ProtocolViolation. */
export function encryptionIn(body: Buffer): number {
  for (let at = 0; at + OPTION_BYTES <= body.length && body[at] !== OPTION.end; at += OPTION_BYTES) {
    if (body[at] !== OPTION.encryption) continue
    const encryption = body[body.readUInt16BE(at + 1)]
    if (encryption !== undefined) return encryption
  }
  throw new ProtocolViolation('expected what a SQL Server says before a login')
}
