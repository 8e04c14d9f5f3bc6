import type { Duplex } from 'node:stream'
import type ssh2 from 'ssh2'
import { inBackground } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type SshConnection, SshError } from '../../../kernel/ssh/connect.ts'
import { type MachineConnections, openChannelAt, type SshLogin } from '../../machines/machine-connections.ts'
import { attributeField, type Field, PacketCutter, PacketSender, uint64 } from './packets.ts'
import {
  type DirectoryEntry,
  Fields,
  type FileAttributes,
  MAX_CHUNK,
  PACKET,
  SAFE_CHUNK,
  SftpStatus,
  STATUS,
  VERSION,
} from './sftp-wire.ts'

const START_TIMEOUT_MS = 15_000
/** A request that nobody waits for leaves with the next one, or after so long. */
const UNHURRIED_MS = 10

/**
 * Opens the files of an asset as one system user, through a gateway of its domain where it has one.
 * The host key is checked before any secret is sent. Throws SshError.
 */
export async function openSftp(
  kernel: Kernel,
  login: SshLogin,
  machines: MachineConnections | undefined,
): Promise<SftpClient> {
  return openChannelAt(kernel, machines, login, (connection) => startOn(connection, login))
}

/** A machine may accept the login and then not answer. */
async function startOn(connection: SshConnection, { target, signal }: SshLogin): Promise<SftpClient> {
  const hop = target.gateways.length ? 1 : 0
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)])
  let channel: ssh2.ClientChannel | undefined
  const givenUp = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true })
  })
  givenUp.catch(() => {})
  try {
    channel = await Promise.race([openChannel(connection), givenUp])
    return await Promise.race([SftpClient.start(channel, connection), givenUp])
  } catch (error) {
    channel?.destroy()
    signal.throwIfAborted()
    if (limit.aborted) throw new SshError('timeout', hop, 'No files in time', { cause: error })
    throw new SshError('unreachable', hop, 'The machine does not serve files', { cause: error })
  }
}

function openChannel({ client }: SshConnection): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error('The connection was closed'))
    client.once('close', onClose)
    client.subsys('sftp', (error, channel) => {
      client.off('close', onClose)
      if (error) reject(error)
      else resolve(channel)
    })
  })
}

interface Waiting {
  /** The type of answer that is wanted; any other refuses. */
  expected: number
  /** Takes what follows the type of the answer, or its status. */
  resolve(answer: Fields): void
  reject(error: unknown): void
}

/**
 * SFTP version 3 as a client, with as many requests in flight as callers make. Every call throws
 * SftpStatus for an answer other than OK. ssh2 has an SFTP client too; this one keeps names byte
 * for byte and does not copy file content.
 */
export class SftpClient {
  readonly #connection: Pick<SshConnection, 'close'>
  readonly #channel: Duplex
  readonly #sender: PacketSender
  readonly #waiting = new Map<number, Waiting>()
  readonly #whenClosed = Promise.withResolvers<void>()
  #unhurried: NodeJS.Timeout | undefined
  #lastId = 0
  #over = false
  /** Version by name, as the machine offers them. */
  readonly extensions = new Map<string, string>()
  #maxRead = SAFE_CHUNK
  #maxWrite = SAFE_CHUNK
  /** Settles when nothing more will come from the machine. */
  readonly closed: Promise<void> = this.#whenClosed.promise

  private constructor(channel: Duplex, connection: Pick<SshConnection, 'close'>) {
    this.#channel = channel
    this.#connection = connection
    this.#sender = new PacketSender(channel)
  }

  static start(
    channel: Duplex & { stderr?: NodeJS.ReadableStream },
    connection: Pick<SshConnection, 'close'>,
  ): Promise<SftpClient> {
    const client = new SftpClient(channel, connection)
    return client.#start(channel.stderr)
  }

  async #start(stderr: NodeJS.ReadableStream | undefined): Promise<SftpClient> {
    const { promise: ready, resolve: isReady, reject: failed } = Promise.withResolvers<void>()
    inBackground(this.closed.then(() => failed(new Error('The machine closed the connection'))))
    const cutter = new PacketCutter()
    let versionSeen = false
    const onPacket = (bytes: Buffer) => {
      if (versionSeen) return this.#onAnswer(bytes)
      versionSeen = true
      this.#readVersion(bytes)
      isReady()
    }
    this.#channel.on('data', (bytes: Buffer) => {
      try {
        cutter.push(bytes, onPacket)
      } catch {
        // After a malformed packet nothing can be understood any more.
        this.close()
      }
    })
    for (const event of ['end', 'close', 'error']) this.#channel.on(event, () => this.close())
    // Output on stderr must be read, or it would fill the window.
    stderr?.resume()
    this.#sender.send(PACKET.INIT, [VERSION])
    await ready
    if (this.extensions.has('limits@openssh.com')) await this.#readLimits()
    return this
  }

  #readVersion(bytes: Buffer): void {
    if (bytes[0] !== PACKET.VERSION) throw new Error('not an SFTP server')
    const fields = new Fields(bytes, 5)
    while (fields.left) this.extensions.set(fields.name(), fields.bytes().toString('latin1'))
  }

  async #readLimits(): Promise<void> {
    const [, read, write] = await this.#extended('limits@openssh.com', [], (answer) => [
      answer.uint64(),
      answer.uint64(),
      answer.uint64(),
    ])
    if (read) this.#maxRead = Math.min(read, MAX_CHUNK)
    if (write) this.#maxWrite = Math.min(write, MAX_CHUNK)
  }

  #onAnswer(bytes: Buffer): void {
    const fields = new Fields(bytes, 1)
    const id = fields.uint32()
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    const refusal = refusalIn(bytes[0] ?? 0, waiting.expected, fields)
    this.#waiting.delete(id)
    try {
      if (refusal) throw refusal
      waiting.resolve(fields)
    } catch (error) {
      // A malformed answer is one alone: the next packet begins where it should.
      waiting.reject(error)
    }
  }

  /** Ends the connection; pending calls fail. */
  close(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#unhurried)
    this.#channel.destroy()
    this.#connection.close()
    for (const { reject } of this.#waiting.values()) reject(connectionLost())
    this.#waiting.clear()
    this.#whenClosed.resolve()
  }

  /**
   * Throws for any status that is not allowed. `read` is called as soon as the answer is there: of
   * small files there are thousands, and each step that a promise waits for costs as much as the rest.
   */
  #ask<T>(
    type: number,
    expected: number,
    fields: readonly Field[],
    read: (answer: Fields) => T,
    { soon = true } = {},
  ): Promise<T> {
    if (this.#over) return Promise.reject(connectionLost())
    do this.#lastId = (this.#lastId + 1) >>> 0
    while (this.#waiting.has(this.#lastId))
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { expected, resolve: (answer) => resolve(read(answer)), reject })
      this.#sender.send(type, [id, ...fields], { soon })
    })
  }

  #extended<T>(name: string, fields: readonly Field[], read: (answer: Fields) => T): Promise<T> {
    return this.#ask(PACKET.EXTENDED, PACKET.EXTENDED_REPLY, [name, ...fields], read)
  }

  #command(type: number, fields: readonly Field[]): Promise<void> {
    return this.#ask(type, PACKET.STATUS, fields, nothingOf)
  }

  #attributes(type: number, of: string | Buffer): Promise<FileAttributes> {
    return this.#ask(type, PACKET.ATTRS, [of], attributesOf)
  }

  #entries(type: number, of: string | Buffer): Promise<DirectoryEntry[]> {
    return this.#ask(type, PACKET.NAME, [of], entriesOf)
  }

  #oneName(type: number, path: string): Promise<string> {
    return this.#ask(type, PACKET.NAME, [path], firstName)
  }

  stat = (path: string): Promise<FileAttributes> => this.#attributes(PACKET.STAT, path)
  lstat = (path: string): Promise<FileAttributes> => this.#attributes(PACKET.LSTAT, path)
  fstat = (handle: Buffer): Promise<FileAttributes> => this.#attributes(PACKET.FSTAT, handle)
  setstat = (path: string, attributes: FileAttributes): Promise<void> =>
    this.#command(PACKET.SETSTAT, [path, attributeField(attributes)])
  fsetstat = (handle: Buffer, attributes: FileAttributes): Promise<void> =>
    this.#command(PACKET.FSETSTAT, [handle, attributeField(attributes)])
  realpath = (path: string): Promise<string> => this.#oneName(PACKET.REALPATH, path)
  readlink = (path: string): Promise<string> => this.#oneName(PACKET.READLINK, path)
  remove = (path: string): Promise<void> => this.#command(PACKET.REMOVE, [path])
  rmdir = (path: string): Promise<void> => this.#command(PACKET.RMDIR, [path])
  mkdir = (path: string, attributes: FileAttributes): Promise<void> =>
    this.#command(PACKET.MKDIR, [path, attributeField(attributes)])
  rename = (from: string, to: string): Promise<void> => this.#command(PACKET.RENAME, [from, to])
  closeHandle = (handle: Buffer): Promise<void> => this.#command(PACKET.CLOSE, [handle])

  /**
   * Closes a file that was only read: nobody waits for it, and a client that reads many small ones
   * opens the next one at once, with which it leaves.
   */
  closeUnhurried(handle: Buffer): void {
    this.#ask(PACKET.CLOSE, PACKET.STATUS, [handle], nothingOf, { soon: false }).catch(() => {})
    this.#unhurried ??= setTimeout(() => {
      this.#unhurried = undefined
      this.#sender.flush()
    }, UNHURRIED_MS)
  }

  /**
   * The draft has the arguments in the other order, but every server follows OpenSSH: the target
   * first.
   */
  symlink = (target: string, link: string): Promise<void> => this.#command(PACKET.SYMLINK, [target, link])

  /** Replaces an existing file. Throws OP_UNSUPPORTED where the machine can't. */
  posixRename = (from: string, to: string): Promise<void> => this.#extension('posix-rename@openssh.com', [from, to])
  fsync = (handle: Buffer): Promise<void> => this.#extension('fsync@openssh.com', [handle])
  hardlink = (from: string, to: string): Promise<void> => this.#extension('hardlink@openssh.com', [from, to])
  /** As setstat, of a link itself. */
  lsetstat = (path: string, attributes: FileAttributes): Promise<void> =>
    this.#extension('lsetstat@openssh.com', [path, attributeField(attributes)])

  /** On the machine itself, from one open file to another; `length` 0 is up to the end. */
  copyData = (from: Buffer, offset: number, length: number, to: Buffer, at: number): Promise<void> =>
    this.#extension('copy-data', [from, uint64(offset), uint64(length), to, uint64(at)])

  async #extension(name: string, fields: readonly Field[]): Promise<void> {
    this.#demand(name)
    await this.#command(PACKET.EXTENDED, [name, ...fields])
  }

  #demand(extension: string): void {
    if (!this.extensions.has(extension)) throw new SftpStatus(STATUS.OP_UNSUPPORTED, 'Not supported by this machine')
  }

  /** The eleven numbers of statvfs@openssh.com, as they come. */
  async statvfs(path: string): Promise<Buffer> {
    this.#demand('statvfs@openssh.com')
    return this.#extended('statvfs@openssh.com', [path], restOf)
  }

  /** Names of users and groups by their ids, both as they come. */
  async usersAndGroups(users: Buffer, groups: Buffer): Promise<Buffer> {
    this.#demand('users-groups-by-id@openssh.com')
    return this.#extended('users-groups-by-id@openssh.com', [users, groups], restOf)
  }

  /** A path that may begin with `~`, resolved. */
  async expandPath(path: string): Promise<string> {
    this.#demand('expand-path@openssh.com')
    return this.#ask(PACKET.EXTENDED, PACKET.NAME, ['expand-path@openssh.com', path], firstName)
  }

  open(path: string, flags: number, attributes: FileAttributes = {}): Promise<Buffer> {
    return this.#ask(PACKET.OPEN, PACKET.HANDLE, [path, flags, attributeField(attributes)], bytesOf)
  }

  opendir(path: string): Promise<Buffer> {
    return this.#ask(PACKET.OPENDIR, PACKET.HANDLE, [path], bytesOf)
  }

  /** Further entries; undefined at the end. */
  async readdir(handle: Buffer): Promise<DirectoryEntry[] | undefined> {
    return untilEnd(this.#entries(PACKET.READDIR, handle))
  }

  /** How much of so many bytes a single request of the machine asks for. */
  lengthOfRead = (length: number): number => Math.min(length, this.#maxRead)

  /** At most `length` bytes, possibly fewer; undefined at the end of the file. */
  async read(handle: Buffer, offset: number, length: number): Promise<Buffer | undefined> {
    const fields: Field[] = [handle, uint64(offset), this.lengthOfRead(length)]
    return untilEnd(this.#ask(PACKET.READ, PACKET.DATA, fields, bytesOf))
  }

  write(handle: Buffer, offset: number, bytes: Buffer): Promise<void> {
    const size = this.#maxWrite
    if (bytes.length <= size) return this.#command(PACKET.WRITE, [handle, uint64(offset), bytes])
    return this.#writePieces(handle, offset, bytes, size)
  }

  async #writePieces(handle: Buffer, offset: number, bytes: Buffer, size: number): Promise<void> {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => n * size)
    await Promise.all(
      pieces.map((at) => this.#command(PACKET.WRITE, [handle, uint64(offset + at), bytes.subarray(at, at + size)])),
    )
  }
}

const nothingOf = (): void => {}
const bytesOf = (answer: Fields): Buffer => answer.bytes()
const restOf = (answer: Fields): Buffer => answer.rest()
const attributesOf = (answer: Fields): FileAttributes => answer.attributes()

function entriesOf(answer: Fields): DirectoryEntry[] {
  return Array.from({ length: Math.min(answer.uint32(), answer.left) }, () => ({
    name: answer.name(),
    longname: answer.name(),
    attributes: answer.attributes(),
  }))
}

function firstName(answer: Fields): string {
  if (!answer.uint32()) throw new SftpStatus(STATUS.FAILURE, 'no name')
  return answer.name()
}

async function untilEnd<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof SftpStatus && error.code === STATUS.EOF) return undefined
    throw error
  }
}

/** Undefined when the answer is the one that was expected. */
function refusalIn(type: number, expected: number, fields: Fields): Error | undefined {
  if (type === expected && expected !== PACKET.STATUS) return undefined
  if (type !== PACKET.STATUS) return new SftpStatus(STATUS.FAILURE, 'unexpected answer')
  const code = fields.uint32()
  if (code === STATUS.OK && expected === PACKET.STATUS) return undefined
  return new SftpStatus(code === STATUS.OK ? STATUS.FAILURE : code, fields.left ? fields.name() : '')
}

function connectionLost(): SftpStatus {
  return new SftpStatus(STATUS.CONNECTION_LOST, 'The connection to the machine was lost')
}
