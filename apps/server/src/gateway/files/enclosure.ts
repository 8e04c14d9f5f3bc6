import type { SftpClient } from './sftp/sftp-client.ts'
import { SftpStatus, STATUS } from './sftp/sftp-wire.ts'

const FILE_TYPE = 0o170000
const SYMLINK = 0o120000

/**
 * An absolute path without `.`, `..` and empty parts; `..` at the top stays there. Throws
 * NO_SUCH_FILE for a name that no file can have.
 */
export function plainPath(path: string, from = '/'): string {
  if (path.includes('\0')) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${from}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const joined = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)

/**
 * A folder on a machine that nothing leads out of: neither `..` nor symbolic links, on the way or
 * at the end. The machine resolves the links (REALPATH, as OpenSSH does), the result is compared,
 * and the operation then uses the resolved path. It can't detect a link that somebody with a shell
 * on the machine makes in between.
 */
export class Enclosure {
  readonly root: string
  readonly #client: SftpClient

  /** `root` is resolved; `/` encloses everything and needs no check. */
  constructor(client: SftpClient, root: string) {
    this.#client = client
    this.root = root
  }

  /** Whether a resolved path is inside. */
  holds(path: string): boolean {
    return this.root === '/' || path === this.root || path.startsWith(`${this.root}/`)
  }

  /** The resolved path of a file, following links. Throws PERMISSION_DENIED outside. */
  async followed(path: string): Promise<string> {
    if (this.root === '/') return path
    try {
      return this.#inside(await this.#client.realpath(path))
    } catch (error) {
      if (!(error instanceof SftpStatus && error.code === STATUS.NO_SUCH_FILE)) throw error
    }
    // For a server that resolves existing paths only: a new file is fine, a link to nowhere is not.
    const entry = await this.entry(path)
    const isLink = await this.#client.lstat(entry).then(
      ({ mode = 0 }) => (mode & FILE_TYPE) === SYMLINK,
      () => false,
    )
    if (isLink) throw outside()
    return entry
  }

  /** The path of an entry in its folder, which may itself be a link. */
  async entry(path: string): Promise<string> {
    if (this.root === '/') return path
    if (path === this.root) return path
    return joined(this.#inside(await this.#client.realpath(folderOf(path))), lastName(path))
  }

  #inside(path: string): string {
    if (!this.holds(path)) throw outside()
    return path
  }
}

function outside(): SftpStatus {
  return new SftpStatus(STATUS.PERMISSION_DENIED, 'This path lies outside of the folder that is open to you')
}
