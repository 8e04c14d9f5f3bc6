import type { Access } from '@sallyport/contract/access.ts'
import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { callerOf, isRoot } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { tableOf } from '../../../kernel/database/view.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { listRows } from '../../../kernel/resource/lists/list.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { type MountedResource, resourcesOf } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { assetCount, assetsListedAsset, findNode } from '../../assets/index.ts'
import {
  anyOf,
  type GrantScope,
  type Grants,
  isCovered,
  isGranted,
  loadGrants,
  NO_GRANTS,
  type TargetColumns,
} from '../grants.ts'

/** A prefix of "granted to …" addresses, who may call them, and whom they are about. */
export interface Audience {
  prefix: string
  access: readonly Access[]
  of: string
  /** Throws 404 for a user or group of another organization. */
  question(context: ReadContext): Promise<GrantScope>
}

/**
 * The caller's own grants span all organizations; those of a user or group are the current
 * organization's (docs/rules/perms.md#granted_asset).
 */
export const AUDIENCES: readonly Audience[] = [
  {
    prefix: '/api/v1/perms/users/',
    access: ['authenticated'],
    of: 'mine',
    question: async ({ call }) => ({ subject: { userId: callerOf(call).id }, orgId: undefined }),
  },
  {
    prefix: '/api/v1/perms/users/:user_id/',
    access: ['org_admin', 'component'],
    of: "a user's",
    question: async (context) => ({
      subject: { userId: await existing('user', 'user_id', context) },
      orgId: orgOf(context),
    }),
  },
  {
    prefix: '/api/v1/perms/user-groups/:group_id/',
    access: ['org_admin', 'component'],
    of: "a group's",
    question: async (context) => ({
      subject: { groupId: await existing('user_group', 'group_id', context) },
      orgId: orgOf(context),
    }),
  },
]
export const [MINE, OF_USER, OF_GROUP] = AUDIENCES as readonly [Audience, Audience, Audience]

const orgOf = ({ call }: ReadContext) => (isRoot(call) ? undefined : call.org.id)

async function existing(resource: 'user' | 'user_group', parameter: string, context: ReadContext): Promise<string> {
  const mounted = resourcesOf(context.kernel).find(resource)
  if (!mounted) throw new Error(`${resource} is not mounted`)
  const row = await getStored(mounted, context.parameters[parameter] ?? '', context)
  return String(row.id)
}

/** The list of granted assets, restricted by `condition`. */
function listing(condition: SQL, countAll?: () => Promise<number | undefined>): MountedResource {
  return {
    definition: grantedAsset,
    mount: {
      table: tableOf(assetsListedAsset),
      scope: () => condition,
      computed: [orgNameOfEach],
      ...(countAll ? { count: async (_context, isNarrowed) => (isNarrowed ? undefined : countAll()) } : {}),
    },
  }
}

/** Rows may belong to other organizations than the current one. */
export const orgNameOfEach = {
  fields: ['org_name'],
  async load(rows: readonly { org_id: string }[], { kernel }: ReadContext) {
    const names = await kernel.orgNames()
    return rows.map(({ org_id }) => ({ org_name: names.get(org_id) ?? '' }))
  },
} as const

export const addressOf = (request: FastifyRequest) => `${request.protocol}://${request.host}${request.url}`

/** All lists of granted assets: all, below a node, directly granted, favorites. */
export function registerGrantedAssets(kernel: Kernel): void {
  const add = (
    { prefix, access, of, question }: Audience,
    path: string,
    summary: string,
    conditionOf: (grants: Grants, context: ReadContext, whose: GrantScope) => Promise<SQL> | SQL,
    count?: (grants: Grants, context: ReadContext) => Promise<number | undefined>,
  ) =>
    kernel.app.route({
      method: 'GET',
      url: `${prefix}${path}`,
      config: { access, summary: `Granted assets: ${of}, ${summary}`, rows: grantedAsset, answers: 'rows or page' },
      handler: async (request, reply) => {
        const context = contextOf(kernel, request)
        const asked = await question(context)
        const grants = await loadGrants(kernel.db, { family: 'asset', ...asked })
        const condition = await conditionOf(grants, context, asked)
        return listRows(listing(condition, count && (() => count(grants, context))), context, request, reply)
      },
    })

  for (const audience of AUDIENCES) {
    add(
      audience,
      'assets/',
      'all',
      (grants) => isGranted(grants, assetsListedAsset),
      (grants, { db }) => countAll(db, grants),
    )
    add(audience, 'nodes/:node_id/assets/', 'under a node', async (grants, { db, parameters }, { orgId }) => {
      const condition = await underNode(db, grants, assetsListedAsset, parameters.node_id ?? '', orgId)
      if (!condition) throw notFound()
      return condition
    })
  }
  for (const audience of [MINE, OF_USER]) {
    add(audience, 'nodes/ungrouped/assets/', 'directly granted', (grants) => directly(grants, assetsListedAsset))
    add(audience, 'nodes/favorite/assets/', 'favorites', (grants, _context, { subject }) =>
      favorites(grants, assetsListedAsset, 'userId' in subject ? subject.userId : ''),
    )
  }
}

/** Assets that permissions name. */
export const directly = ({ targetIds }: Grants, asset: TargetColumns): SQL =>
  isGranted({ ...NO_GRANTS, targetIds }, asset)

/**
 * The number of all granted assets, without reading them: a whole organization has a counter, and links
 * of nodes and ids of targets are enough for everything else. Undefined for both together, or several
 * organizations: there the assets must be counted.
 */
export async function countAll(
  db: Database,
  { wholeOrgs, coveredNodeIds, targetIds }: Grants,
): Promise<number | undefined> {
  const [org, ...more] = new Set(wholeOrgs)
  if (org) return more.length || coveredNodeIds.length || targetIds.length ? undefined : assetCount(db, org)
  const { rows } = await db.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM (
      SELECT an.asset_id FROM assets_asset_in_node an WHERE an.node_id = ${anyOf(coveredNodeIds)}
      UNION SELECT unnest(${sql.param(targetIds)}::uuid[])) granted`)
  return rows[0]?.count ?? 0
}

/** A person's favorites among the granted assets. */
export function favorites(grants: Grants, asset: TargetColumns, userId: string): SQL {
  return and(
    isGranted(grants, asset),
    sql`${asset.id} IN (SELECT f.asset_id FROM assets_favorite f WHERE f.user_id = ${userId}::uuid)`,
  ) as SQL
}

/**
 * Visible assets in the subtree of a node. Undefined for a node of which the subject sees nothing,
 * as for one that does not exist.
 */
export async function underNode(
  db: Database,
  grants: Grants,
  asset: TargetColumns,
  id: string,
  orgId: string | undefined,
): Promise<SQL | undefined> {
  const node = isUuid(id) ? await findNode(db, id, orgId) : undefined
  if (!node) return undefined
  const covered = isCovered(grants, node.key)
  if (covered && !node.parent_key) return sql`${asset.org_id} = ${node.org_id}`
  const visible = covered
    ? sql``
    : sql` AND (an.node_id = ${anyOf(grants.coveredNodeIds)} OR an.asset_id = ${anyOf(grants.targetIds)})`
  const links = sql`FROM assets_listed_node below JOIN assets_asset_in_node an ON an.node_id = below.id WHERE below.path <@ ${node.path}::ltree${visible}`
  if (!covered) {
    const { rows } = await db.execute(sql`SELECT 1 ${links} LIMIT 1`)
    const above = grants.nodes.some(({ key }) => key.startsWith(`${node.key}:`))
    if (!rows.length && !above) return undefined
  }
  return sql`${asset.id} IN (SELECT an.asset_id ${links})`
}
