import { CloudError } from './cloud-error.ts'
import type { CloudTransport } from './transport.ts'

export interface CloudRegion {
  id: string
  /** As the cloud calls it. */
  name: string
}

/** A machine at a cloud. */
export interface CloudInstance {
  /** Never that of another, and the same as long as the machine is there. */
  id: string
  name: string
  /** Inner addresses first. */
  addresses: readonly string[]
  /** That by which it is reached from outside; empty without one. */
  publicAddress: string
  isWindows: boolean
}

/** The machines of one account. Everything throws CloudError. */
export interface Cloud {
  /** Those that the account may use; shows whether its keys work, too. */
  regions(): Promise<CloudRegion[]>
  /** Page by page. Without those that are being deleted. */
  instances(region: string): AsyncGenerator<readonly CloudInstance[]>
}

/** Fields of `attrs` in clear. */
export type CloudAttrs = Readonly<Record<string, unknown>>
export type OpenCloud = (attrs: CloudAttrs, transport: CloudTransport) => Cloud

/** No account has more pages than this; who answers more answers the same for ever. */
const MAX_PAGES = 20_000

/** Reads page after page by the mark of the next one, which is empty at the end. */
export async function* pagesBy<T>(
  read: (mark: string) => Promise<{ items: readonly T[]; next: string }>,
): AsyncGenerator<readonly T[]> {
  let mark = ''
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { items, next } = await read(mark)
    yield items
    if (!next) return
    if (next === mark) break
    mark = next
  }
  throw new CloudError('unreadable', 'pages without end')
}

/**
 * Reads page after page by the number of those read so far, which is that of the items where the
 * page does not say. `total` is the cloud's own count.
 */
export async function* pagesFrom<T>(
  read: (offset: number) => Promise<{ items: readonly T[]; read?: number; total: number }>,
): AsyncGenerator<readonly T[]> {
  let offset = 0
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { items, total, read: count = items.length } = await read(offset)
    yield items
    offset += count
    if (offset >= total) return
    // Else machines that are there would count as released.
    if (!count) throw new CloudError('unreadable', `${offset} of ${total} machines`)
  }
  throw new CloudError('unreadable', 'pages without end')
}

/** Whether a text can be the id of a region, which becomes part of a host's name or of a path. */
export const isRegion = (text: string): boolean => /^[a-z0-9][\w-]{0,63}$/i.test(text)

/** The same. Throws CloudError for what is none. */
export function checkedRegion(region: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/i.test(region)) throw new CloudError('refused', 'no such region')
  return region
}

/** Texts of fields that every account of this cloud has. */
export const textOf = (attrs: CloudAttrs, name: string): string => String(attrs[name] ?? '')
