import { awaitedLater } from '../../kernel/background.ts'
import { bareHost } from '../../kernel/bare-host.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { WritingAsset } from './asset-accounts.ts'
import { ensurePath, findNode, getRootNode, lockTree } from './nodes/tree.ts'

/** `[::1]` is `::1`: also for lists of addresses, and for what is compared with them. */
export function bareAddresses({ draft }: Pick<WritingAsset, 'draft'>): void {
  if (draft.ip) draft.ip = bareHost(draft.ip)
  if (draft.public_ip) draft.public_ip = bareHost(draft.public_ip)
}

const PROTOCOL = /^(ssh|rdp|telnet|vnc)\/\d{1,5}$/

/**
 * Checks `ssh/22` and the like, each protocol once; errors are at the index of their element. Where
 * no list was sent, the legacy pair of `protocol` and `port` counts as a list of one.
 */
export function checkProtocols({ draft, body, row }: WritingAsset): void {
  const { protocol, port } = draft
  delete draft.protocol
  delete draft.port
  if (!body.protocols) {
    if (row) delete draft.protocols
    else draft.protocols = ['ssh/22']
    if (port !== undefined && !isPort(port ?? 22)) throw invalid({ port: 'Port Error, please check' })
    if (protocol || port !== undefined) draft.protocols = [`${protocol ?? 'ssh'}/${port ?? 22}`]
    return
  }
  const errors = protocolErrors(draft.protocols ?? [])
  if (Object.keys(errors).length) throw invalid(errors)
}

/** The errors of such a list, at the index of each. */
export function protocolErrors(protocols: readonly string[]): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const [index, entry] of protocols.entries()) {
    if (!PROTOCOL.test(entry)) errors[`protocols.${index}`] = 'Write a protocol as ssh/22'
    else if (!isPort(Number(entry.split('/')[1]))) errors[`protocols.${index}`] = 'Port Error, please check'
    else if (protocols.findIndex((other) => other.split('/')[0] === entry.split('/')[0]) < index)
      errors[`protocols.${index}`] = 'This protocol is listed twice'
  }
  return errors
}

const isPort = (port: number) => port >= 1 && port <= 65_535

/**
 * Looked up once for each transaction, not for each row: imports write thousands of rows in one.
 */
const rootIds = new WeakMap<Database, Map<string, Promise<string>>>()

function rootIdOf(db: Database, orgId: string): Promise<string> {
  let byOrg = rootIds.get(db)
  if (!byOrg) rootIds.set(db, (byOrg = new Map()))
  let id = byOrg.get(orgId)
  if (!id) byOrg.set(orgId, (id = awaitedLater(getRootNode(db, orgId).then((root) => root.id))))
  return id
}

/**
 * Full paths, as imports have them, replace the nodes and are made where missing. A new asset in no
 * node goes to the root.
 */
export async function placeInNodes(context: WritingAsset): Promise<void> {
  const { draft, db, row } = context
  const paths = draft.nodes_display?.filter(Boolean) ?? []
  delete draft.nodes_display
  const orgId = context.call.org.id
  // Clients send back what they read: paths count only where no nodes were sent, as in an import.
  if (paths.length && !(context.body.nodes as unknown[] | undefined)?.length) {
    draft.nodes = await nodesAtPaths(db, orgId, paths)
  }
  if (!row && !draft.nodes?.length) draft.nodes = [await rootIdOf(db, orgId)]
}

const knownPaths = new WeakMap<Database, Map<string, string>>()

async function nodesAtPaths(db: Database, orgId: string, paths: readonly string[]): Promise<string[]> {
  let known = knownPaths.get(db)
  if (!known) knownPaths.set(db, (known = new Map()))
  const ids = new Set<string>()
  for (const path of paths) {
    const key = `${orgId} ${path}`
    let id = known.get(key)
    if (!id) {
      await lockTree(db, orgId)
      id = (await ensurePath(db, orgId, path)).id
      known.set(key, id)
    }
    ids.add(id)
  }
  return [...ids]
}

/**
 * `POST …?node_id=`: puts the asset into that node as well; an unknown one is ignored
 * (docs/rules/assets.md#asset).
 */
export async function addQueryNode(context: WritingAsset): Promise<void> {
  const { draft, db, row, query } = context
  if (row || !query.node_id) return
  const node = await findNode(db, query.node_id, context.call.org.id)
  if (!node) return
  const named = Boolean(
    (context.body.nodes as unknown[] | undefined)?.length ||
      (context.body.nodes_display as unknown[] | undefined)?.length,
  )
  draft.nodes = named ? [...new Set([...(draft.nodes ?? []), node.id])] : [node.id]
}
