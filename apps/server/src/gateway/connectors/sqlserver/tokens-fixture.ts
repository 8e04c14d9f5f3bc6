/** Tokens as a SQL Server writes them ([MS-TDS] §2.2.7), byte by byte. */

const u16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
export const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
export const utf16 = (text: string) => Buffer.from(text, 'utf16le')
/** A text behind its length in characters. */
const text8 = (text: string) => Buffer.concat([Buffer.of(text.length), utf16(text)])
const text16 = (text: string) => Buffer.concat([u16(text.length), utf16(text)])
const sized = (token: number, body: Buffer) => Buffer.concat([Buffer.of(token), u16(body.length), body])

export function done({ rows, isError, isMore, isCancelled }: DoneOptions): Buffer {
  const counted = rows === undefined ? 0 : 0x10
  const status = (isMore ? 0x1 : 0) | (isError ? 0x2 : 0) | counted | (isCancelled ? 0x20 : 0)
  return Buffer.concat([Buffer.of(0xfd), u16(status), u16(0xc1), u64(BigInt(rows ?? 0))])
}
interface DoneOptions {
  rows?: number
  isError?: boolean
  isMore?: boolean
  isCancelled?: boolean
}

const messageToken = (token: number, number: number, level: number, text: string) =>
  sized(token, Buffer.concat([u32(number), Buffer.of(1, level), text16(text), text8('FIXTURE'), text8(''), u32(1)]))
export const error = (number: number, text: string, level = 16) => messageToken(0xaa, number, level, text)
export const info = (number: number, text: string, level = 0) => messageToken(0xab, number, level, text)

export const loginAck = (name: string, [major, minor, ...build]: [number, number, number, number]) =>
  sized(0xad, Buffer.concat([Buffer.of(1), Buffer.of(0x74, 0, 0, 4), text8(name), Buffer.of(major, minor, ...build)]))

const change = (what: number, now: Buffer, before: Buffer) => sized(0xe3, Buffer.concat([Buffer.of(what), now, before]))
const bytes8 = (bytes: Buffer) => Buffer.concat([Buffer.of(bytes.length), bytes])
const NONE = Buffer.of(0)

/** Types of changes (§2.2.7.9). */
export const changed = {
  database: (now: string, before: string) => change(1, text8(now), text8(before)),
  packetBytes: (bytes: number) => change(4, text8(String(bytes)), text8(String(bytes))),
  collation: () => change(7, bytes8(Buffer.of(0x09, 0x04, 0xd0, 0x00, 0x34)), NONE),
  begun: (transaction: Buffer) => change(8, bytes8(transaction), NONE),
  committed: (transaction: Buffer) => change(9, NONE, bytes8(transaction)),
  routed: (host: string) => change(20, sized(0, Buffer.concat([u16(1433), text16(host)])).subarray(1), Buffer.of(0, 0)),
}

/** A column: its type as COLMETADATA has it, and its value as ROW has it. */
export interface Cell {
  name: string
  type: Buffer
  value: Buffer
}

export const columns = (cells: readonly Cell[]) =>
  Buffer.concat([
    Buffer.of(0x81),
    u16(cells.length),
    ...cells.map(({ name, type }) => Buffer.concat([u32(0), u16(0x09), type, text8(name)])),
  ])
export const row = (cells: readonly Cell[]) => Buffer.concat([Buffer.of(0xd1), ...cells.map(({ value }) => value)])

/** A row whose NULLs are bits alone (NBCROW). */
export function rowWithNulls(cells: readonly (Cell | undefined)[]): Buffer {
  const bits = Buffer.alloc(Math.ceil(cells.length / 8))
  for (const [at, cell] of cells.entries()) if (!cell) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7))
  return Buffer.concat([Buffer.of(0xd2), bits, ...cells.map((cell) => cell?.value ?? Buffer.alloc(0))])
}

/** nvarchar(n); of null a NULL. */
export const nvarchar = (name: string, text: string | null): Cell => ({
  name,
  type: Buffer.concat([Buffer.of(0xe7), u16(4000), COLLATION]),
  value: text === null ? u16(0xffff) : Buffer.concat([u16(text.length * 2), utf16(text)]),
})
export const COLLATION = Buffer.of(0x09, 0x04, 0xd0, 0x00, 0x34)

/** nvarchar(max), in chunks. */
export const nvarcharMax = (name: string, pieces: readonly string[]): Cell => ({
  name,
  type: Buffer.concat([Buffer.of(0xe7), u16(0xffff), COLLATION]),
  value: Buffer.concat([
    u64(0xfffffffffffffffen),
    ...pieces.map((piece) => Buffer.concat([u32(piece.length * 2), utf16(piece)])),
    u32(0),
  ]),
})

export const int = (name: string, value: number): Cell => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return { name, type: Buffer.of(0x26, 4), value: Buffer.concat([Buffer.of(4), bytes]) }
}

/** A result with these rows, all of the same columns. */
export const table = (rows: readonly (readonly Cell[])[]) =>
  Buffer.concat([columns(rows[0] ?? []), ...rows.map(row), done({ rows: rows.length })])
