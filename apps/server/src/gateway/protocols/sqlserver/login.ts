/** A login by name and password ([MS-TDS] §2.2.6.4). */
export interface Login {
  username: string
  password: string
  /** Database where it begins; empty for the account's own. */
  database: string
  /** Name that the client gives itself, and the server that it means. */
  program: string
  server: string
  packetBytes: number
}

/** TDS 7.4, which SQL Server speaks since 2012; older ones answer with what they speak. */
const VERSION = 0x74000004
/** A database that can't be opened ends the login, as does a language. */
const FLAGS_1 = 0xe0
/** Settings of ODBC clients: those of the ANSI standard, and no limit on texts. */
const FLAGS_2 = 0x03
/** In front of the texts. */
const FIXED_BYTES = 94
/** A text has at most so many characters. */
const TEXT_MAX = 128
const LIBRARY = 'Sallyport'

/** The body of such a message. The password is only made hard to read: it goes over TLS alone. */
export function login({ username, password, database, program, server, packetBytes }: Login): Buffer {
  const fixed = Buffer.alloc(FIXED_BYTES)
  fixed.writeUInt32LE(VERSION, 4)
  fixed.writeUInt32LE(packetBytes, 8)
  fixed.writeUInt32LE(process.pid, 16)
  fixed[24] = FLAGS_1
  fixed[25] = FLAGS_2
  const texts: Buffer[] = []
  let end = FIXED_BYTES
  const point = (at: number, text: string, hide = (bytes: Buffer) => bytes) => {
    const bytes = hide(Buffer.from(text, 'utf16le'))
    fixed.writeUInt16LE(end, at)
    fixed.writeUInt16LE(bytes.length / 2, at + 2)
    texts.push(bytes)
    end += bytes.length
  }
  // In this order: host, user, password, program, server, extension, library, language, database;
  // then the client's number, and what Windows accounts, files and new passwords need.
  point(36, '')
  point(40, username.slice(0, TEXT_MAX))
  point(44, password, hidden)
  point(48, program.slice(0, TEXT_MAX))
  point(52, server.slice(0, TEXT_MAX))
  point(56, '')
  point(60, LIBRARY)
  point(64, '')
  point(68, database.slice(0, TEXT_MAX))
  for (const at of [78, 82, 86]) point(at, '')
  fixed.writeUInt32LE(end, 0)
  return Buffer.concat([fixed, ...texts])
}

/** The halves of each byte swapped, and every other bit turned over. */
function hidden(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (((byte << 4) & 0xf0) | (byte >> 4)) ^ 0xa5))
}
