import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { grantedFolders, type TreeAsset, usableSystemUsers } from '../../domains/perms/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Person } from '../session/person.ts'
import { assetTarget } from '../targets/asset-family.ts'
import { plainPath } from './enclosure.ts'
import type { FileConnections } from './file-connections.ts'
import type { FileRoot, Place, VirtualEntry } from './file-root.ts'
import { SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/**
 * How long a folder's entries are cached; rights are checked at every access to a file all the
 * same.
 */
const REMEMBER_MS = 10_000
const MAX_REMEMBERED = 200

interface Folder {
  /** By displayed name. */
  children: ReadonlyMap<string, Child>
}

/** A node, an asset, or one of its system users. */
type Child = { node: string } | { asset: string } | Account

interface Account {
  assetId: string
  systemUserId: string
}

/**
 * Targets that somebody may reach, as folders (docs/rules/gateway.md#sftp): nodes; in them assets
 * by host name; in an asset a folder for each of its system users, unless there is only one; below
 * that the machine's files. Read as they are opened.
 */
export class GrantedTree implements FileRoot {
  readonly removesWholeFolders = true
  readonly #kernel: Kernel
  readonly #person: Person
  readonly #connections: FileConnections
  readonly #remembered = new Map<string, { folder: Promise<Folder>; until: number }>()

  constructor(kernel: Kernel, person: Person, connections: FileConnections) {
    this.#kernel = kernel
    this.#person = person
    this.#connections = connections
  }

  realpath = async (path: string): Promise<string> => plainPath(path)

  /** The tree is where everybody is at home. */
  expandPath = async (path: string): Promise<string> => plainPath(path.replace(/^~(?=\/|$)/, ''))

  /** Machines without it say so when it is used; ids mean something on one machine alone. */
  offers = (extension: string): boolean => extension !== 'users-groups-by-id@openssh.com'

  async locate(path: string): Promise<Place> {
    const parts = plainPath(path).split('/').filter(Boolean)
    let folder = await this.#remember('', () => this.#nodes(undefined))
    for (const [index, part] of parts.entries()) {
      const listed = folder.children.get(part)
      const child = listed ?? (index === 0 ? assetNamed(part) : undefined)
      if (!child) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
      if ('systemUserId' in child) return this.#onMachine(child, parts, index + 1)
      folder = await this.#open(child)
      // An asset that is named directly may not be granted: it must look like one that does not
      // exist.
      if (!listed && !folder.children.size) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
      const [only, ...more] = folder.children.values()
      if ('asset' in child && only && 'systemUserId' in only && !more.length)
        return this.#onMachine(only, parts, index + 1)
    }
    const entries = [...folder.children.keys()].map((name): VirtualEntry => ({ name }))
    return { kind: 'virtual', entries: async () => entries }
  }

  #open(child: { node: string } | { asset: string }): Promise<Folder> {
    return 'node' in child
      ? this.#remember(`node ${child.node}`, () => this.#nodes(child.node))
      : this.#remember(`asset ${child.asset}`, () => this.#systemUsers(child.asset))
  }

  #onMachine({ assetId, systemUserId }: Account, parts: readonly string[], depth: number): Place {
    return {
      kind: 'asset',
      key: `${assetId} ${systemUserId}`,
      path: `/${parts.slice(depth).join('/')}`,
      prefix: `/${parts.slice(0, depth).join('/')}`,
      isTop: parts.length === depth,
      files: () => this.#connections.to(assetId, systemUserId),
    }
  }

  #remember(key: string, read: () => Promise<Folder>): Promise<Folder> {
    const known = this.#remembered.get(key)
    if (known && known.until > Date.now()) return known.folder
    this.#remembered.delete(key)
    const folder = awaitedLater(read())
    this.#remembered.set(key, { folder, until: Date.now() + REMEMBER_MS })
    folder.catch(() => this.#remembered.delete(key))
    if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value ?? '')
    return folder
  }

  /** Folders and assets in a node; without one, those at the top. */
  async #nodes(nodeKey: string | undefined): Promise<Folder> {
    const { nodes, assets } = await grantedFolders(this.#kernel, this.#person.id, {
      nodeKey,
      language: this.#person.language,
    })
    const children = new Map<string, Child>()
    for (const { key, value } of nodes) children.set(freeName(value, children), { node: key })
    for (const { id, hostname } of assets.filter(servesFiles)) children.set(freeName(hostname, children), { asset: id })
    return { children }
  }

  async #systemUsers(assetId: string): Promise<Folder> {
    const usable =
      (await usableSystemUsers(
        this.#kernel.db,
        { subject: { userId: this.#person.id }, orgId: undefined },
        assetTarget(assetId),
      )) ?? []
    const children = new Map<string, Child>()
    for (const { id, name, protocol, su_enabled, mask } of usable) {
      if (protocol !== 'ssh' || su_enabled || !(mask & ACTION_BITS.connect)) continue
      children.set(freeName(name, children), { assetId, systemUserId: id })
    }
    return { children }
  }
}

/**
 * `/@<id>` leads to an asset wherever it is in the tree, for links from elsewhere; grants are
 * checked as for any other path.
 */
function assetNamed(part: string): Child | undefined {
  const id = /^@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(part)?.[1]
  return id ? { asset: id } : undefined
}

const servesFiles = ({ is_active, protocols }: TreeAsset) =>
  is_active && protocols.some((entry) => entry.startsWith('ssh/'))

/** A name that can be shown and that nothing else in the folder has. */
function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted.replaceAll(/[/\0]/g, '_')
  if (name === '' || name === '.' || name === '..') name += '_'
  while (taken.has(name)) name += '_'
  return name
}
