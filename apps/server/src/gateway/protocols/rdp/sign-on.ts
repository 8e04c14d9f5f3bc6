/** The login, and whether the server has a license for it (MS-RDPBCGR 2.2.1.11, 2.2.1.12). */
import { Cursor, u16, u32 } from './cursor.ts'

export interface Account {
  domain: string
  username: string
  password: string
}

const INFO_PACKET = 0x0040
const LICENSE = 0x0080

/**
 * A mouse with a wheel, text in Unicode, signed in at once, errors reported, the Windows key passed on,
 * no sound; nothing is compressed.
 */
const FLAGS = 0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x100 | 0x1_0000 | 0x2_0000 | 0x8_0000
const SIGN_IN_AT_ONCE = 0x8
/** No wallpaper, no window contents while dragged, no animated menus; smooth letters. */
const APPEARANCE = 0x01 | 0x02 | 0x04 | 0x80
const TIME_ZONE_BYTES = 172

/** `shell`: what runs instead of a whole desktop. */
export function clientInfo({ domain, username, password }: Account, shell = ''): Buffer {
  const texts = [domain, username, password, shell, ''].map((text) => Buffer.from(text, 'utf16le'))
  return Buffer.concat([
    u16(INFO_PACKET, 0),
    u32(0, FLAGS | (password ? SIGN_IN_AT_ONCE : 0)),
    u16(...texts.map(({ length }) => length)),
    ...texts.flatMap((text) => [text, u16(0)]),
    // An address of the person's does not concern the machine.
    u16(2, 2, 0, 2, 0),
    Buffer.alloc(TIME_ZONE_BYTES),
    u32(0, APPEARANCE),
    u16(0),
  ])
}

/** Content of a message about licenses: none, one that exists, or one that must be asked for. */
export function readLicense(data: Buffer): 'none' | 'valid' | 'wanted' | 'refused' {
  const read = new Cursor(data)
  if (!(read.u16() & LICENSE)) return 'none'
  read.skip(2)
  const type = read.u8()
  read.skip(3)
  if (type !== 0xff) return type === 0x03 || type === 0x04 ? 'valid' : 'wanted'
  return read.u32() === 7 ? 'valid' : 'refused'
}

/** There is none to show; a server that asks out of habit goes on, one that counts them ends it. */
export const noLicense = (): Buffer =>
  Buffer.concat([u16(LICENSE, 0), Buffer.of(0xff, 3), u16(16), u32(NO_LICENSE, GIVES_UP), u16(4, 0)])

const NO_LICENSE = 2
const GIVES_UP = 1
