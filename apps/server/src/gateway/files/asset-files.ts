import { inBackground } from '../../kernel/background.ts'
import { type Enclosure, joined, plainPath } from './enclosure.ts'
import type { FileLogEntry, FileOperate, LoggedOperation } from './file-log.ts'
import type { FileAction, FileRights } from './file-rights.ts'
import { FileStart } from './file-start.ts'
import { actionsOf, OpenFile, type OpenFileEntries, type OpenFileParts } from './open-file.ts'
import { removeTree } from './remove-tree.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type DirectoryEntry, type FileAttributes, OPEN, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/**
 * Rights of open files are checked again this often: withdrawing one stops a transfer within 5
 * seconds.
 */
const WATCH_MS = 2000

/** How paths are named. */
export type PathView =
  /**
   * `/` is the folder that is open to the person. They can't set mode, owner and times of files
   * (docs/rules/gateway.md#sftp).
   */
  | 'folder'
  /** The machine's own paths, for tools that know the machine. */
  | 'machine'

export interface AssetFilesParts {
  client: SftpClient
  rights: FileRights
  view: PathView
  enclosure: Enclosure
  /** Resolved path on the machine where relative paths start. */
  home: string
  /** Whether lists contain names that begin with a dot. */
  showHidden: boolean
  /** Writes down what is about to be done. Throws NotLogged: then it must not be done. */
  log(operation: LoggedOperation): Promise<FileLogEntry>
  /** Settles when what is over is in the FTP log. */
  logged(): Promise<void>
}

/** How a file is going to be read. */
export interface Reading {
  /** Bytes that are asked for, if not all: a preview is complete once they have been read. */
  wanted?: number | undefined
  /** Its beginning will be asked for next. */
  ahead?: boolean
}

interface Opening {
  filename: string
  flags: number
  attributes: FileAttributes
  reading: Reading
  entries: OpenFileEntries
}

/**
 * All access to the files of an asset as one system user. Each call checks the right, stays inside
 * the enclosure and logs changes and transfers. Throws SftpStatus.
 */
export class AssetFiles {
  readonly #parts: AssetFilesParts
  readonly #open = new Set<OpenFile>()
  /** Calls that leave an entry in the log and are under way. */
  readonly #changing = new Set<Promise<unknown>>()
  #watch: NodeJS.Timeout | undefined
  #watching = false
  /** Milliseconds since 1970; set by every call. */
  lastUsed = Date.now()
  /** Settles when the connection to the machine has ended. */
  readonly closed: Promise<void>

  constructor(parts: AssetFilesParts) {
    this.#parts = parts
    this.closed = parts.client.closed
  }

  get openFiles(): number {
    return this.#open.size
  }

  /** Folder where a person starts, in their view of paths. */
  get home(): string {
    return this.#shown(this.#parts.home)
  }

  /** Whether the machine offers an extension of OpenSSH. */
  offers(extension: string): boolean {
    return this.#parts.client.extensions.has(extension)
  }

  /** Ends everything; open files count as interrupted. Settles when everything is logged. */
  async close(): Promise<void> {
    await this.#stopFiles([...this.#open], new SftpStatus(STATUS.CONNECTION_LOST, 'The connection was closed'))
    this.#stopWatching()
    this.#parts.client.close()
    // Calls that this has interrupted write their log entries now.
    while (this.#changing.size) await Promise.allSettled(this.#changing)
    await this.#parts.logged()
  }

  /** Work that a connection waits for when it is closed. */
  #noting<T>(work: Promise<T>): Promise<T> {
    this.#changing.add(work)
    const isOver = () => this.#changing.delete(work)
    work.then(isOver, isOver)
    return work
  }

  async stat(path: string): Promise<FileAttributes> {
    await this.#may('connect')
    return this.#parts.client.stat(await this.#followed(path))
  }

  async lstat(path: string): Promise<FileAttributes> {
    await this.#may('connect')
    return this.#parts.client.lstat(await this.#entry(path))
  }

  async readlink(path: string): Promise<string> {
    await this.#may('connect')
    const target = await this.#parts.client.readlink(await this.#entry(path))
    return target.startsWith('/') && this.#parts.enclosure.holds(target) ? this.#shown(target) : target
  }

  async realpath(path: string): Promise<string> {
    await this.#may('connect')
    if (this.#parts.view === 'folder') return plainPath(path)
    const { client, enclosure } = this.#parts
    return enclosure.root === '/' ? client.realpath(this.#nominal(path)) : this.#followed(path)
  }

  /** As `realpath`, of a path that may begin with `~`. */
  async expandPath(path: string): Promise<string> {
    const { client, view, enclosure } = this.#parts
    if (!path.startsWith('~')) return this.realpath(path)
    if (view === 'machine' && enclosure.root === '/' && this.offers('expand-path@openssh.com')) {
      await this.#may('connect')
      return client.expandPath(path)
    }
    // Homes of others are not for those who are kept in a folder.
    if (path !== '~' && !path.startsWith('~/')) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
    return this.realpath(path === '~' ? '.' : path.slice(2) || '.')
  }

  /** Names by ids, both as users-groups-by-id@openssh.com has them. */
  async usersAndGroups(users: Buffer, groups: Buffer): Promise<Buffer> {
    await this.#may('connect')
    return this.#parts.client.usersAndGroups(users, groups)
  }

  /** The person's rights here at this moment, to be shown before they try. */
  async may(): Promise<{ upload: boolean; download: boolean }> {
    const may = await this.#parts.rights.current()
    return { upload: may('upload_file'), download: may('download_file') }
  }

  async statvfs(path: string): Promise<Buffer> {
    await this.#may('connect')
    return this.#parts.client.statvfs(await this.#followed(path))
  }

  /**
   * Entries come in batches, with `.` and `..` where the machine has them. Closes itself at the
   * end.
   */
  async openFolder(path: string): Promise<OpenFolder> {
    await this.#may('connect')
    const { client, showHidden } = this.#parts
    const handle = await client.opendir(await this.#followed(path))
    const isShown = ({ name }: DirectoryEntry) => showHidden || !name.startsWith('.') || name === '.' || name === '..'
    return {
      next: async () => {
        await this.#may('connect')
        for (;;) {
          const entries = await client.readdir(handle)
          const shown = entries?.filter(isShown)
          if (!shown || shown.length) return shown
        }
      },
      close: () => client.closeHandle(handle),
    }
  }

  /**
   * Everything in a folder except `.` and `..`, for folders that a person looks at. Throws FAILURE
   * beyond `limit` entries.
   */
  async list(path: string, limit = 100_000): Promise<DirectoryEntry[]> {
    const folder = await this.openFolder(path)
    const all: DirectoryEntry[] = []
    try {
      for (let some = await folder.next(); some; some = await folder.next()) {
        all.push(...some.filter(({ name }) => name !== '.' && name !== '..'))
        if (all.length > limit) throw new SftpStatus(STATUS.FAILURE, 'The folder holds too many files')
      }
    } finally {
      await folder.close().catch(() => {})
    }
    return all
  }

  /**
   * `flags` are those of OPEN, `attributes` those of a file that is made.
   */
  open(path: string, flags: number, attributes: FileAttributes = {}, reading: Reading = {}): Promise<OpenFile> {
    this.lastUsed = Date.now()
    return this.#noting(this.#openFile(path, flags, attributes, reading))
  }

  async #openFile(path: string, flags: number, attributes: FileAttributes, reading: Reading): Promise<OpenFile> {
    const { client, view } = this.#parts
    const actions = actionsOf(flags)
    const operate = actions.includes('upload_file') ? 'Upload' : 'Download'
    const filename = await this.#checked({ operate, names: [this.#nominal(path)] }, async () => {
      for (const action of actions) await this.#may(action)
      // O_EXCL must not follow links.
      return flags & OPEN.EXCL ? this.#entry(path) : this.#followed(path)
    })
    const entries: OpenFileEntries = {}
    // A file is not touched before it is written down that it will be.
    if (operate === 'Upload') {
      entries.upload = await this.#parts.log({ operate, names: [filename] })
      this.#forgetStarts()
    }
    try {
      const { handle, start } = await this.#openLogged({ filename, flags, attributes, reading, entries })
      const { wanted } = reading
      return this.#opened({ client, handle, flags, keepsAttributes: view === 'machine', wanted, entries, start })
    } catch (error) {
      // One attempt, and one row, whatever it was for.
      if (entries.upload) entries.download?.drop()
      await (entries.upload ?? entries.download)?.end(false)
      throw error
    }
  }

  /** To be read, it is opened at the same time, and read by nobody before it is written down. */
  async #openLogged({ filename, flags, attributes, reading, entries }: Opening) {
    const { client } = this.#parts
    const opening = client.open(filename, flags, this.#kept(attributes)).then((handle) => {
      const isAhead = reading.ahead && ![...this.#open].some(({ actions }) => actions.includes('upload_file'))
      return { handle, start: isAhead && !entries.upload ? new FileStart(client, handle) : undefined }
    })
    opening.catch(() => {})
    try {
      if (actionsOf(flags).includes('download_file'))
        entries.download = await this.#parts.log({ operate: 'Download', names: [filename] })
    } catch (error) {
      opening.then(({ handle }) => client.closeHandle(handle)).catch(() => {})
      throw error
    }
    return opening
  }

  #opened(parts: Omit<OpenFileParts, 'onOver'>): OpenFile {
    const onOver = () => {
      this.#open.delete(file)
      this.lastUsed = Date.now()
    }
    const file: OpenFile = new OpenFile({ ...parts, onOver })
    this.#open.add(file)
    this.#watch ??= setInterval(() => inBackground(this.checkRights()), WATCH_MS)
    return file
  }

  /** A refusal leaves a row as well; should that fail, people see the refusal. */
  async #checked<T>(operation: LoggedOperation, check: () => Promise<T>): Promise<T> {
    try {
      return await check()
    } catch (error) {
      const entry = await this.#parts.log(operation).catch(() => undefined)
      await entry?.end(false)
      throw error
    }
  }

  /**
   * Stops open files whose right has been withdrawn. Called by the timer, which goes on from one small
   * file to the next and ends once it finds none open.
   */
  async checkRights(): Promise<void> {
    if (!this.#open.size) return this.#stopWatching()
    if (this.#watching) return
    this.#watching = true
    try {
      const may = await this.#parts.rights.current()
      const lost = [...this.#open].filter(({ actions }) => !actions.every(may))
      await this.#stopFiles(lost, new SftpStatus(STATUS.PERMISSION_DENIED, 'Your permission for this asset has ended'))
    } finally {
      this.#watching = false
    }
  }

  #stopWatching(): void {
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  async #stopFiles(files: readonly OpenFile[], reason: SftpStatus): Promise<void> {
    await Promise.all(files.map((file) => file.stop(reason)))
  }

  mkdir(path: string, attributes: FileAttributes = {}): Promise<void> {
    return this.#change('Mkdir', [path], ([folder]) => this.#parts.client.mkdir(folder, this.#kept(attributes)))
  }

  remove(path: string): Promise<void> {
    return this.#change('Delete', [path], ([file]) => this.#parts.client.remove(file))
  }

  /**
   * Removes an empty folder or, with `recursive`, one with everything in it; links are removed, not
   * followed.
   */
  rmdir(path: string, { recursive = false } = {}): Promise<void> {
    return this.#change('Rmdir', [path], ([folder]) =>
      recursive
        ? removeTree(this.#parts.client, folder, () => this.#may('upload_file'))
        : this.#parts.client.rmdir(folder),
    )
  }

  /** Within this asset. `replace` overwrites what is there, where the machine can do that. */
  rename(from: string, to: string, { replace = false } = {}): Promise<void> {
    return this.#change('Rename', [from, to], ([old, name]) =>
      replace && this.offers('posix-rename@openssh.com')
        ? this.#parts.client.posixRename(old, name)
        : this.#parts.client.rename(old, name),
    )
  }

  /** Another name for a file; the log has one word for links of all kinds. */
  hardlink(from: string, to: string): Promise<void> {
    return this.#change('Symlink', [from, to], ([file, name]) => this.#parts.client.hardlink(file, name))
  }

  /**
   * A link at `path`. A relative `target` is stored as it is: where it leads is checked when
   * somebody follows it.
   */
  symlink(target: string, path: string): Promise<void> {
    if (target.includes('\0')) throw new SftpStatus(STATUS.FAILURE, 'A name cannot contain this character')
    const meant = target.startsWith('/') ? this.#nominal(target) : target
    return this.#change('Symlink', [path], ([link]) => this.#parts.client.symlink(meant, link), meant)
  }

  /**
   * Not logged: the log has no operation for it. In a `folder` view only the size is set; other
   * attributes are ignored.
   */
  async setstat(path: string, attributes: FileAttributes): Promise<void> {
    const kept =
      this.#parts.view === 'machine' ? attributes : attributes.size === undefined ? {} : { size: attributes.size }
    if (!Object.keys(kept).length) return
    await this.#may('upload_file')
    this.#forgetStarts()
    await this.#parts.client.setstat(await this.#followed(path), kept)
  }

  /**
   * A person who changes a file sees that in those that they have open, which may be the same one.
   */
  #forgetStarts(): void {
    for (const file of this.#open) file.forgetStart()
  }

  /** As `setstat`, of a link itself. */
  async lsetstat(path: string, attributes: FileAttributes): Promise<void> {
    const kept = this.#kept(attributes)
    if (!Object.keys(kept).length) return
    await this.#may('upload_file')
    await this.#parts.client.lsetstat(await this.#entry(path), kept)
  }

  #change(
    operate: FileOperate,
    paths: [string, ...string[]],
    work: (real: [string, string]) => Promise<void>,
    from?: string,
  ): Promise<void> {
    return this.#noting(this.#changeLogged(operate, paths, work, from))
  }

  async #changeLogged(
    operate: FileOperate,
    paths: [string, ...string[]],
    work: (real: [string, string]) => Promise<void>,
    from?: string,
  ): Promise<void> {
    const first = from === undefined ? [] : [from]
    const nominal = paths.map((path) => this.#nominal(path))
    const names = await this.#checked({ operate, names: [...first, ...nominal] }, async () => {
      await this.#may('upload_file')
      const real: string[] = []
      for (const path of paths) real.push(await this.#changeable(path))
      return real
    })
    const entry = await this.#parts.log({ operate, names: [...first, ...names] })
    let isSuccess = false
    try {
      await work([names[0] ?? '', names[1] ?? ''])
      isSuccess = true
    } finally {
      await entry.end(isSuccess)
    }
  }

  async #may(action: FileAction): Promise<void> {
    this.lastUsed = Date.now()
    await this.#parts.rights.demand(action)
  }

  /** In a `folder` view the machine decides the mode of new files. */
  #kept(attributes: FileAttributes): FileAttributes {
    return this.#parts.view === 'machine' ? attributes : {}
  }

  /** The path on the machine that a name means, before links are resolved. */
  #nominal(path: string): string {
    const { view, enclosure, home } = this.#parts
    if (view === 'folder') {
      const plain = plainPath(path)
      return enclosure.root === '/' ? plain : plain === '/' ? enclosure.root : enclosure.root + plain
    }
    if (path.includes('\0')) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
    if (enclosure.root !== '/') return plainPath(path, home)
    // The meaning of `..` behind a link is up to the machine.
    return path.startsWith('/') ? path : path && path !== '.' ? joined(home, path) : home
  }

  #shown(path: string): string {
    const { view, enclosure } = this.#parts
    return view === 'folder' && enclosure.root !== '/' ? path.slice(enclosure.root.length) || '/' : path
  }

  #followed = (path: string): Promise<string> => this.#parts.enclosure.followed(this.#nominal(path))

  #entry = (path: string): Promise<string> => this.#parts.enclosure.entry(this.#nominal(path))

  /** As `#entry`; the folder that encloses everything can't be removed, renamed or made. */
  async #changeable(path: string): Promise<string> {
    const nominal = this.#nominal(path)
    if (nominal === this.#parts.enclosure.root)
      throw new SftpStatus(STATUS.PERMISSION_DENIED, 'This folder cannot be changed')
    return this.#parts.enclosure.entry(nominal)
  }
}

export interface OpenFolder {
  /** Undefined at the end. */
  next(): Promise<DirectoryEntry[] | undefined>
  close(): Promise<void>
}
