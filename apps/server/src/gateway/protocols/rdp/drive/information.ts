/**
 * Information about files, folders and the drive (MS-FSCC 2.4, 2.5); without the padding, which the
 * channel leaves out (MS-RDPEFS 2.2.3.3).
 */
import { MAX_BYTES, type SharedEntry } from '../../../kinds/desktop/files/shared-folder.ts'
import { u32, u64 } from '../cursor.ts'

/** Ways in which a file can be asked about or changed. */
export const ABOUT_FILE = {
  basic: 4,
  standard: 5,
  rename: 10,
  disposition: 13,
  allocation: 19,
  end: 20,
  attributes: 35,
} as const
const ABOUT_ENTRY = { directory: 1, full: 2, both: 3, names: 12 } as const
const ABOUT_VOLUME = { volume: 1, size: 3, device: 4, attributes: 5, fullSize: 7 } as const

const FOLDER = 0x10
const PLAIN_FILE = 0x20
/** Finds names whatever the case of their letters, keeps the case, and takes every letter. */
const VOLUME_WAYS = 0x2 | 0x4
const DISK = 7
const SECTOR = 512
const CLUSTER_SECTORS = 8
const CLUSTER = SECTOR * CLUSTER_SECTORS

/** Name of the drive, on every screen that shows it. */
export const DRIVE_NAME = 'Files'

/** From 1601, in steps of 100 nanoseconds. */
const time = (milliseconds: number) => (milliseconds + 11_644_473_600_000) * 10_000
const attributesOf = ({ isFolder }: SharedEntry) => (isFolder ? FOLDER : PLAIN_FILE)
const clusters = (bytes: number) => Math.ceil(bytes / CLUSTER)
const text = (words: string) => Buffer.from(words, 'utf16le')

function times({ modified }: SharedEntry): Buffer {
  const at = time(modified)
  return u64(at, at, at, at)
}

/** Undefined for a question that is not known. */
export function aboutFile(question: number, one: SharedEntry): Buffer | undefined {
  switch (question) {
    case ABOUT_FILE.basic:
      return Buffer.concat([times(one), u32(attributesOf(one))])
    case ABOUT_FILE.standard:
      return Buffer.concat([u64(clusters(one.size) * CLUSTER, one.size), u32(1), Buffer.of(0, one.isFolder ? 1 : 0)])
    case ABOUT_FILE.attributes:
      return u32(attributesOf(one), 0)
    default:
      return undefined
  }
}

/** An entry of a list, one to a message. Undefined for a question that is not known. */
export function aboutEntry(question: number, one: SharedEntry, called: string): Buffer | undefined {
  const name = text(called)
  if (question === ABOUT_ENTRY.names) return Buffer.concat([u32(0, 0, name.length), name])
  const start = Buffer.concat([
    u32(0, 0),
    times(one),
    u64(one.size, clusters(one.size) * CLUSTER),
    u32(attributesOf(one), name.length),
  ])
  switch (question) {
    case ABOUT_ENTRY.directory:
      return Buffer.concat([start, name])
    case ABOUT_ENTRY.full:
      return Buffer.concat([start, u32(0), name])
    case ABOUT_ENTRY.both:
      // No name of eight letters beside it.
      return Buffer.concat([start, u32(0), Buffer.alloc(1 + 24), name])
    default:
      return undefined
  }
}

/** Undefined for a question that is not known. */
export function aboutVolume(question: number, bytesLeft: number): Buffer | undefined {
  const [all, left] = [clusters(MAX_BYTES), Math.floor(bytesLeft / CLUSTER)]
  switch (question) {
    case ABOUT_VOLUME.volume: {
      const label = text(DRIVE_NAME)
      return Buffer.concat([u64(0), u32(1, label.length), Buffer.of(0), label])
    }
    case ABOUT_VOLUME.size:
      return Buffer.concat([u64(all, left), u32(CLUSTER_SECTORS, SECTOR)])
    case ABOUT_VOLUME.fullSize:
      return Buffer.concat([u64(all, left, left), u32(CLUSTER_SECTORS, SECTOR)])
    case ABOUT_VOLUME.device:
      return u32(DISK, 0)
    case ABOUT_VOLUME.attributes: {
      const kind = text('FAT32')
      return Buffer.concat([u32(VOLUME_WAYS, 255, kind.length), kind])
    }
    default:
      return undefined
  }
}

/** Which names are meant by a pattern of `*` and `?`, and of what DOS made of them (MS-FSCC 2.1.4.4). */
export function meantBy(pattern: string): (name: string) => boolean {
  const wanted = pattern.toLowerCase().replaceAll('<', '*').replaceAll('>', '?').replaceAll('"', '.')
  // As in every program since then: all files, with an ending or not.
  if (wanted === '*' || wanted === '*.*') return () => true
  return (name) => isMeant(name.toLowerCase(), wanted)
}

/** In steps of at most the product of their lengths. */
function isMeant(name: string, wanted: string): boolean {
  let [at, of, star, back] = [0, 0, -1, 0]
  while (at < name.length) {
    if (wanted[of] === '*') {
      star = of++
      back = at
    } else if (of < wanted.length && (wanted[of] === '?' || wanted[of] === name[at])) {
      of++
      at++
    } else if (star >= 0) {
      of = star + 1
      at = ++back
    } else return false
  }
  return /^\**$/.test(wanted.slice(of))
}
