/** The login of a client of RDP, and the license that it gets (MS-RDPBCGR 2.2.1.11, 2.2.1.12). */
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor, u16, u32 } from '../cursor.ts'

const INFO_PACKET = 0x0040
const LICENSE = 0x0080
const UNICODE = 0x10

/** Login that was typed, or was in the client's file. Throws ProtocolViolation. */
export function readClientInfo(data: Buffer): { username: string; password: string } {
  const read = new Cursor(data)
  if (!(read.u16() & INFO_PACKET)) throw new ProtocolViolation('a client that does not say who it is')
  read.skip(2 + 4)
  if (!(read.u32() & UNICODE)) throw new ProtocolViolation('a client without Unicode')
  const [domain = 0, username = 0, password = 0] = [read.u16(), read.u16(), read.u16(), read.u16(), read.u16()]
  const text = (bytes: number) => {
    const taken = read.take(bytes).toString('utf16le')
    read.skip(2)
    return taken.split('\0', 1)[0] ?? ''
  }
  text(domain)
  return { username: text(username), password: text(password) }
}

/** No license is asked for. */
export const licensed = (): Buffer =>
  Buffer.concat([u16(LICENSE, 0), Buffer.of(0xff, 3), u16(16), u32(7, 2), u16(4, 0)])
