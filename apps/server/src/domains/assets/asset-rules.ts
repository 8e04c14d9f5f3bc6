import type { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { eq } from 'drizzle-orm'
import { awaitedLater } from '../../kernel/background.ts'
import { bareHost } from '../../kernel/bare-host.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { linkBoundSystemUsers, linkSystemUsers, pushToAsset } from './linking.ts'
import { ensurePath, findNode, getRootNode, lockTree } from './nodes/tree.ts'
import { type assetsAsset, assetsSystemUser, assetsSystemUserNode } from './tables.ts'
import { startFirstContact } from './tasks/tasks.ts'

type Writing = WriteContext<typeof asset, typeof assetsAsset>
type Written = WrittenContext<typeof asset, typeof assetsAsset>

/** `[::1]` is `::1`: also for lists of addresses, and for what is compared with them. */
export function bareAddresses({ draft }: Pick<Writing, 'draft'>): void {
  if (draft.ip) draft.ip = bareHost(draft.ip)
  if (draft.public_ip) draft.public_ip = bareHost(draft.public_ip)
}

const PROTOCOL = /^(ssh|rdp|telnet|vnc)\/\d{1,5}$/

/**
 * Checks `ssh/22` and the like, each protocol once; errors stand at the index of their element.
 * Where no list was sent, the legacy pair of `protocol` and `port` stands for a list of one.
 */
export function checkProtocols({ draft, body, row }: Writing): void {
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

/** What is wrong with such a list, at the index of each. */
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

/** Only a system user of type admin and of the asset's organisation may be the privileged one. */
export async function checkAdminUser(context: Writing): Promise<void> {
  const { draft, db, row } = context
  if (!draft.admin_user || draft.admin_user === row?.admin_user) return
  const [user] = await db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, draft.admin_user))
  if (user?.type !== 'admin') throw invalid({ admin_user: 'Only admin users can be chosen' })
}

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
export async function placeInNodes(context: Writing): Promise<void> {
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
export async function addQueryNode(context: Writing): Promise<void> {
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

const boundOrgs = new WeakMap<Database, Map<string, Promise<boolean>>>()

/** Whether the organisation binds any system user to nodes: most imports need no linking at all. */
function bindsNodes(db: Database, orgId: string): Promise<boolean> {
  let byOrg = boundOrgs.get(db)
  if (!byOrg) boundOrgs.set(db, (byOrg = new Map()))
  let answer = byOrg.get(orgId)
  if (!answer) {
    const ask = async () =>
      (
        await db
          .select({ id: assetsSystemUserNode.id })
          .from(assetsSystemUserNode)
          .where(eq(assetsSystemUserNode.org_id, orgId))
          .limit(1)
      ).length > 0
    byOrg.set(orgId, (answer = awaitedLater(ask())))
  }
  return answer
}

/** Links the asset to the system users bound to its nodes, and to its privileged one. */
export async function linkAsset({ db, draft, stored, row }: Written): Promise<void> {
  if (draft.nodes && (await bindsNodes(db, stored.org_id))) await linkBoundSystemUsers(db, [stored.id])
  if (stored.admin_user && stored.admin_user !== row?.admin_user)
    await linkSystemUsers(db, [stored.id], [stored.admin_user])
  if (row && stored.admin_user && stored.admin_user !== row.admin_user) await pushToAsset(db, stored.id)
}

const created = new WeakMap<Database, string[]>()

/**
 * Has a new asset tested and asked for its hardware, in one job for all assets of a call: an import
 * must not queue thousands.
 */
export function queueFirstContact({ db, row, stored, call, kernel, afterCommit }: Written): void {
  // Without a privileged system user there is nobody to log in as.
  if (row || !stored.admin_user || !stored.is_active) return
  const ids = created.get(db)
  if (ids) {
    ids.push(stored.id)
    return
  }
  const all = [stored.id]
  created.set(db, all)
  afterCommit(() => startFirstContact(kernel, call, stored.org_id, all))
}
