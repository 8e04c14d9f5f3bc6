import { ProtocolViolation } from '../protocol-violation.ts'
import { int32, message, needText, SERVER } from './messages.ts'

/** As PostgreSQL has it (`MAX_STARTUP_PACKET_LENGTH`). */
const MAX_PACKET = 10_000
const VERSION_3_0 = 196_608
const CANCEL = 80_877_102
const TLS = 80_877_103
const GSS = 80_877_104
/** Names of protocol options begin so; those that are unknown are refused by name. */
const OPTION = '_pq_.'

/** The first packet of a connection, which has no type (§53.2.1). */
export type StartPacket =
  | { kind: 'tls' }
  | { kind: 'gss' }
  | { kind: 'cancel'; process: number; key: Buffer }
  | { kind: 'startup'; parameters: ReadonlyMap<string, string>; negotiation: Buffer | undefined }

/**
 * Reads the packet at the front of what came, and where it ends; undefined while it is not whole.
 * Throws ProtocolViolation when it can't become one.
 */
export function readStartPacket(bytes: Buffer): { packet: StartPacket; end: number } | undefined {
  if (bytes.length < 4) return undefined
  const length = bytes.readInt32BE(0)
  if (length < 8 || length > MAX_PACKET) throw new ProtocolViolation('invalid length of startup packet')
  if (bytes.length < length) return undefined
  return { packet: packetOf(bytes.subarray(4, length)), end: length }
}

function packetOf(body: Buffer): StartPacket {
  const request = body.readInt32BE(0)
  if (request === TLS) return { kind: 'tls' }
  if (request === GSS) return { kind: 'gss' }
  if (request === CANCEL) {
    if (body.length < 12 || body.length > 264) throw new ProtocolViolation('invalid cancel request')
    return { kind: 'cancel', process: body.readInt32BE(4), key: Buffer.from(body.subarray(8)) }
  }
  if (request >> 16 !== 3) throw new ProtocolViolation('unsupported frontend protocol')
  const parameters = parametersOf(body)
  const unknown = [...parameters.keys()].filter((name) => name.startsWith(OPTION))
  for (const name of unknown) parameters.delete(name)
  const isNewer = request !== VERSION_3_0 || unknown.length > 0
  return { kind: 'startup', parameters, negotiation: isNewer ? negotiation(unknown) : undefined }
}

function parametersOf(body: Buffer): Map<string, string> {
  const parameters = new Map<string, string>()
  let at = 4
  while (body[at]) {
    const name = needText(body, at)
    const value = needText(body, name.end)
    parameters.set(name.text.toString(), value.text.toString())
    at = value.end
  }
  if (at !== body.length - 1) throw new ProtocolViolation('invalid startup packet')
  return parameters
}

/** NegotiateProtocolVersion: nothing newer than 3.0 is spoken here. */
function negotiation(unknown: readonly string[]): Buffer {
  return message(SERVER.negotiateProtocolVersion, int32(VERSION_3_0, unknown.length), ...unknown)
}

/** First message of a client. */
export function startupPacket(parameters: Iterable<readonly [string, string]>): Buffer {
  const body = [...parameters].flatMap(([name, value]) => [Buffer.from(`${name}\0`), Buffer.from(`${value}\0`)])
  return untyped(VERSION_3_0, ...body, Buffer.of(0))
}

export const tlsRequest = (): Buffer => untyped(TLS)

export const cancelRequest = (process: number, key: Buffer): Buffer => untyped(CANCEL, int32(process), key)

function untyped(request: number, ...body: Buffer[]): Buffer {
  const content = Buffer.concat([int32(request), ...body])
  return Buffer.concat([int32(content.length + 4), content])
}
