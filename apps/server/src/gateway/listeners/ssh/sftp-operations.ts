import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { OpenFolder } from '../../files/asset-files.ts'
import { plainPath } from '../../files/enclosure.ts'
import { NotLogged } from '../../files/file-log.ts'
import { type AssetPlace, type FileRoot, virtualAttributes, virtualEntry } from '../../files/file-root.ts'
import { OpenFile } from '../../files/open-file.ts'
import { attributeField, type Field, packet, uint64 } from '../../files/sftp/packets.ts'
import {
  type DirectoryEntry,
  Fields,
  type FileAttributes,
  MAX_CHUNK,
  MAX_PACKET,
  MalformedPacket,
  PACKET,
  SftpStatus,
  STATUS,
} from '../../files/sftp/sftp-wire.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'

/** Files and folders that a client may have open at a time. */
const MAX_HANDLES = 1000
/** Entries of a virtual folder in one answer. */
const ENTRIES_AT_ONCE = 200

/** A packet for the client. */
type Reply = { type: number; fields: Field[] }

/** Made once: it is most of what is said about small files. */
const SUCCESS = Buffer.concat(packet(PACKET.STATUS, [STATUS.OK, 'Success', 'en'])).subarray(5)
const OK: Reply = { type: PACKET.STATUS, fields: [{ raw: SUCCESS }] }

/** OpenSSH's extensions: version by name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'posix-rename@openssh.com': '1',
  'statvfs@openssh.com': '2',
  'fsync@openssh.com': '1',
  'hardlink@openssh.com': '1',
  'lsetstat@openssh.com': '1',
  'expand-path@openssh.com': '1',
  'copy-data': '1',
  'users-groups-by-id@openssh.com': '1',
}

/** Carries out one client's requests on the files, and answers them. */
export class SftpOperations {
  readonly #kernel: Kernel
  readonly #person: Person
  readonly #root: FileRoot
  readonly #say: (words: string) => void
  #wasReported = false
  readonly #handles = new Map<number, OpenFile | OpenFolder>()
  #lastHandle = 0

  /** `say` tells people what OpenSSH's clients keep to themselves: they show no words of a status. */
  constructor(kernel: Kernel, person: Person, root: FileRoot, say: (words: string) => void) {
    this.#kernel = kernel
    this.#person = person
    this.#root = root
    this.#say = say
  }

  /** For VERSION: names and versions in turn. */
  extensions(): string[] {
    const offered = Object.entries(EXTENSIONS).filter(([name]) => this.#root.offers(name))
    return [...offered.flat(), 'limits@openssh.com', '1']
  }

  /** Throws MalformedPacket for a packet that does not even have a request id. */
  async answer(request: Buffer): Promise<Reply> {
    const fields = new Fields(request, 1)
    const id = fields.uint32()
    let reply: Reply
    try {
      reply = await this.#perform(request[0] ?? 0, fields)
    } catch (error) {
      reply = this.#failure(error)
    }
    return { type: reply.type, fields: [id, ...reply.fields] }
  }

  /** Files that are still open count as interrupted. */
  async close(): Promise<void> {
    const open = [...this.#handles.values()]
    this.#handles.clear()
    await Promise.allSettled(
      open.map((one) =>
        one instanceof OpenFile
          ? one.stop(new SftpStatus(STATUS.CONNECTION_LOST, 'The transfer was broken off'))
          : one.close(),
      ),
    )
  }

  #failure(error: unknown): Reply {
    const status = (code: number, text: string, values: Readonly<Record<string, unknown>> = {}): Reply => ({
      type: PACKET.STATUS,
      fields: [code, translate(this.#person.language, text, { ...values }), ''],
    })
    if (error instanceof NotLogged && !this.#wasReported) {
      this.#wasReported = true
      this.#say(translate(this.#person.language, error.message))
    }
    if (error instanceof SftpStatus) return status(error.code, error.message)
    if (error instanceof SessionRefusal) return status(STATUS.PERMISSION_DENIED, error.message, error.values)
    if (error instanceof MalformedPacket) return status(STATUS.BAD_MESSAGE, 'Bad message')
    this.#kernel.app.log.error({ err: error }, 'sftp request')
    return status(STATUS.FAILURE, 'Failure')
  }

  #perform(type: number, fields: Fields): Promise<Reply> {
    switch (type) {
      case PACKET.OPEN:
        return this.#open(fields.name(), fields.uint32(), fields.attributes())
      case PACKET.CLOSE:
        return this.#close(fields.bytes())
      case PACKET.READ:
        return this.#read(fields.bytes(), fields.uint64(), fields.uint32())
      case PACKET.WRITE:
        return done(this.#file(fields.bytes()).write(fields.uint64(), fields.bytes()))
      case PACKET.STAT:
        return this.#stat(fields.name(), (path, { files }) => files().then((one) => one.stat(path)))
      case PACKET.LSTAT:
        return this.#stat(fields.name(), (path, { files }) => files().then((one) => one.lstat(path)))
      case PACKET.FSTAT:
        return attributesReply(this.#file(fields.bytes()).stat())
      case PACKET.SETSTAT:
        return this.#setstat(fields.name(), fields.attributes())
      case PACKET.FSETSTAT:
        return done(this.#file(fields.bytes()).setstat(fields.attributes()))
      case PACKET.OPENDIR:
        return this.#opendir(fields.name())
      case PACKET.READDIR:
        return this.#readdir(fields.bytes())
      case PACKET.REALPATH:
        return nameReply(this.#root.realpath(fields.name()))
      case PACKET.READLINK:
        return nameReply(this.#readlink(fields.name()))
      case PACKET.MKDIR: {
        const [path, attributes] = [fields.name(), fields.attributes()]
        return this.#change(path, async ({ files, path: at }) => (await files()).mkdir(at, attributes))
      }
      case PACKET.REMOVE:
        return this.#change(fields.name(), async ({ files, path }) => (await files()).remove(path))
      case PACKET.RMDIR:
        return this.#change(fields.name(), async ({ files, path }) =>
          (await files()).rmdir(path, { recursive: this.#root.removesWholeFolders }),
        )
      case PACKET.RENAME:
        return this.#rename(fields.name(), fields.name(), false)
      case PACKET.SYMLINK:
        return this.#symlink(fields.name(), fields.name())
      case PACKET.EXTENDED:
        return this.#extended(fields.name(), fields)
      default:
        throw new SftpStatus(STATUS.OP_UNSUPPORTED, 'Operation not supported')
    }
  }

  async #extended(name: string, fields: Fields): Promise<Reply> {
    switch (name) {
      case 'limits@openssh.com':
        return { type: PACKET.EXTENDED_REPLY, fields: [MAX_PACKET, MAX_CHUNK, MAX_CHUNK, MAX_HANDLES].map(uint64) }
      case 'posix-rename@openssh.com':
        return this.#rename(fields.name(), fields.name(), true)
      case 'hardlink@openssh.com':
        return this.#hardlink(fields.name(), fields.name())
      case 'lsetstat@openssh.com':
        return this.#setstat(fields.name(), fields.attributes(), { follow: false })
      case 'expand-path@openssh.com':
        return nameReply(this.#root.expandPath(fields.name()))
      case 'copy-data':
        return this.#copyData(fields)
      case 'users-groups-by-id@openssh.com': {
        const [users, groups] = [fields.bytes(), fields.bytes()]
        const files = await (await this.#onMachine('/')).files()
        return { type: PACKET.EXTENDED_REPLY, fields: [{ raw: await files.usersAndGroups(users, groups) }] }
      }
      case 'fsync@openssh.com':
        return done(this.#file(fields.bytes()).sync())
      case 'statvfs@openssh.com': {
        const { files, path } = await this.#onMachine(fields.name())
        return { type: PACKET.EXTENDED_REPLY, fields: [{ raw: await (await files()).statvfs(path) }] }
      }
      default:
        throw new SftpStatus(STATUS.OP_UNSUPPORTED, 'Operation not supported')
    }
  }

  #keep(open: OpenFile | OpenFolder): Reply {
    do this.#lastHandle = (this.#lastHandle + 1) >>> 0
    while (this.#handles.has(this.#lastHandle))
    this.#handles.set(this.#lastHandle, open)
    return { type: PACKET.HANDLE, fields: [handleBytes(this.#lastHandle)] }
  }

  #handleOf(handle: Buffer): OpenFile | OpenFolder {
    const open = handle.length === 4 ? this.#handles.get(handle.readUInt32BE()) : undefined
    if (!open) throw new SftpStatus(STATUS.FAILURE, 'Invalid handle')
    return open
  }

  #file(handle: Buffer): OpenFile {
    const open = this.#handleOf(handle)
    if (!(open instanceof OpenFile)) throw new SftpStatus(STATUS.FAILURE, 'Not a file')
    return open
  }

  #checkRoom(): void {
    if (this.#handles.size >= MAX_HANDLES) throw new SftpStatus(STATUS.FAILURE, 'Too many open files')
  }

  async #close(handle: Buffer): Promise<Reply> {
    const open = this.#handleOf(handle)
    this.#handles.delete(handle.readUInt32BE())
    return done(open.close())
  }

  async #open(path: string, flags: number, attributes: FileAttributes): Promise<Reply> {
    this.#checkRoom()
    const { files, path: at } = await this.#onMachine(path)
    return this.#keep(await (await files()).open(at, flags, attributes, { ahead: true }))
  }

  async #read(handle: Buffer, offset: number, length: number): Promise<Reply> {
    const bytes = await this.#file(handle).read(offset, Math.min(length, MAX_CHUNK))
    return bytes
      ? { type: PACKET.DATA, fields: [bytes] }
      : { type: PACKET.STATUS, fields: [STATUS.EOF, 'End of file', 'en'] }
  }

  async #stat(path: string, ask: (path: string, place: AssetPlace) => Promise<FileAttributes>): Promise<Reply> {
    const place = await this.#root.locate(path)
    if (place.kind === 'virtual') return attributesReply(virtualAttributes({ writable: false }))
    // One need not connect to see that the machine is there.
    return attributesReply(place.isTop ? virtualAttributes({ writable: true }) : ask(place.path, place))
  }

  async #readlink(path: string): Promise<string> {
    const { files, path: at, prefix } = await this.#onMachine(path)
    const target = await (await files()).readlink(at)
    return target.startsWith('/') ? prefix + target : target
  }

  async #opendir(path: string): Promise<Reply> {
    this.#checkRoom()
    const place = await this.#root.locate(path)
    if (place.kind === 'asset') return this.#keep(await (await place.files()).openFolder(place.path))
    const entries = (await place.entries()).map(virtualEntry)
    return this.#keep({
      next: async () => (entries.length ? entries.splice(0, ENTRIES_AT_ONCE) : undefined),
      close: async () => {},
    })
  }

  async #readdir(handle: Buffer): Promise<Reply> {
    const open = this.#handleOf(handle)
    if (open instanceof OpenFile) throw new SftpStatus(STATUS.FAILURE, 'Not a folder')
    const entries = await open.next()
    return entries ? namesReply(entries) : { type: PACKET.STATUS, fields: [STATUS.EOF, 'End of file', 'en'] }
  }

  /** Throws PERMISSION_DENIED where there is no machine. */
  async #onMachine(path: string): Promise<AssetPlace> {
    const place = await this.#root.locate(path)
    if (place.kind === 'virtual') throw new SftpStatus(STATUS.PERMISSION_DENIED, 'This folder is not on a machine')
    return place
  }

  async #change(path: string, work: (place: AssetPlace) => Promise<void>): Promise<Reply> {
    await work(await this.#placeForChange(path))
    return OK
  }

  /** The place for something new: in a virtual folder if its folder is one. */
  async #placeForChange(path: string): Promise<AssetPlace> {
    try {
      return await this.#onMachine(path)
    } catch (error) {
      if (!(error instanceof SftpStatus && error.code === STATUS.NO_SUCH_FILE)) throw error
      await this.#onMachine(`${path}/..`)
      throw error
    }
  }

  async #setstat(path: string, attributes: FileAttributes, { follow = true } = {}): Promise<Reply> {
    const place = await this.#root.locate(path)
    // Accepted and ignored for virtual folders (docs/rules/gateway.md#sftp).
    if (place.kind !== 'asset' || place.isTop) return OK
    const files = await place.files()
    return done(follow ? files.setstat(place.path, attributes) : files.lsetstat(place.path, attributes))
  }

  async #rename(from: string, to: string, replace: boolean): Promise<Reply> {
    const [old, name] = [await this.#placeForChange(from), await this.#placeForChange(to)]
    if (old.key !== name.key) throw new SftpStatus(STATUS.FAILURE, 'Files can only be renamed within one machine')
    return done((await old.files()).rename(old.path, name.path, { replace }))
  }

  async #hardlink(from: string, to: string): Promise<Reply> {
    const [file, name] = [await this.#onMachine(from), await this.#placeForChange(to)]
    if (file.key !== name.key) throw new SftpStatus(STATUS.FAILURE, 'A link cannot lead to another machine')
    return done((await file.files()).hardlink(file.path, name.path))
  }

  async #copyData(fields: Fields): Promise<Reply> {
    const [from, offset, length] = [this.#file(fields.bytes()), fields.uint64(), fields.uint64()]
    const [to, at] = [this.#file(fields.bytes()), fields.uint64()]
    return done(from.copyTo(to, { offset, length, at }))
  }

  /** All clients send the target first, as OpenSSH does, not as in the draft. */
  async #symlink(target: string, path: string): Promise<Reply> {
    const place = await this.#placeForChange(path)
    const files = await place.files()
    await files.symlink(target.startsWith('/') ? this.#withoutPrefix(target, place) : target, place.path)
    return OK
  }

  #withoutPrefix(target: string, { prefix }: AssetPlace): string {
    if (!prefix) return target
    const plain = plainPath(target)
    if (plain !== prefix && !plain.startsWith(`${prefix}/`))
      throw new SftpStatus(STATUS.FAILURE, 'A link cannot lead to another machine')
    return plain.slice(prefix.length) || '/'
  }
}

async function done(work: Promise<void>): Promise<Reply> {
  await work
  return OK
}

async function attributesReply(attributes: FileAttributes | Promise<FileAttributes>): Promise<Reply> {
  return { type: PACKET.ATTRS, fields: [attributeField(await attributes)] }
}

async function nameReply(name: Promise<string>): Promise<Reply> {
  const shown = await name
  return { type: PACKET.NAME, fields: [1, shown, shown, attributeField({})] }
}

function namesReply(entries: readonly DirectoryEntry[]): Reply {
  return {
    type: PACKET.NAME,
    fields: [
      entries.length,
      ...entries.flatMap(({ name, longname, attributes }) => [name, longname, attributeField(attributes)]),
    ],
  }
}

function handleBytes(handle: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(handle)
  return bytes
}
