/** Messages of the channel of drives (MS-RDPEFS 2.2), as far as a folder needs them. */
import { u16 } from '../cursor.ts'

export const DRIVE_CHANNEL = 'rdpdr'
/** Windows servers since 2012 take no drive of a client that has not named this one; nothing is said on it. */
export const SOUND_CHANNEL = 'rdpsnd'

/** Component of every message that is not a printer's. */
export const CORE = 0x4472

export const PACKET = {
  serverAnnounce: 0x496e,
  clientId: 0x4343,
  clientName: 0x434e,
  serverCapabilities: 0x5350,
  clientCapabilities: 0x4350,
  loggedOn: 0x554c,
  devices: 0x4441,
  request: 0x4952,
  completion: 0x4943,
} as const

/** Operations of a request (2.2.1.4). */
export const WANTS = {
  create: 0,
  close: 2,
  read: 3,
  write: 4,
  queryInformation: 5,
  setInformation: 6,
  queryVolume: 10,
  directory: 12,
  control: 14,
  lock: 17,
} as const
/** Detail of `directory`. */
export const LIST = 1

/** How a request ends (MS-ERREF 2.3.1). */
export const STATUS = {
  ok: 0,
  noMoreFiles: 0x8000_0006,
  failed: 0xc000_0001,
  badHandle: 0xc000_0008,
  badParameter: 0xc000_000d,
  noSuchFile: 0xc000_000f,
  denied: 0xc000_0022,
  badName: 0xc000_0033,
  exists: 0xc000_0035,
  noSuchFolder: 0xc000_003a,
  full: 0xc000_007f,
  isFolder: 0xc000_00ba,
  notSupported: 0xc000_00bb,
  notEmpty: 0xc000_0101,
  notAFolder: 0xc000_0103,
  tooManyOpen: 0xc000_011f,
} as const

export const packet = (id: number, ...parts: Buffer[]): Buffer => Buffer.concat([u16(CORE, id), ...parts])
