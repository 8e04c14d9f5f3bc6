import { node as nodeDefinition } from '@sallyport/contract/resources/assets/node.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Call } from '../../../kernel/access/call.ts'
import { keepingChange } from '../../../kernel/audit/named-change.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { listRows } from '../../../kernel/resource/lists/list.ts'
import { valueChanges } from '../../../kernel/resource/operate-log/changes.ts'
import { namedLinkChange } from '../../../kernel/resource/operate-log/write-log.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { previewed } from '../../../kernel/resource/preview/preview.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { sameQuery, unwatched } from '../../../kernel/watched-query.ts'
import { assetAccounts } from '../asset-accounts.ts'
import { assetsAssetNode, assetsNode } from '../tables.ts'
import { namedNode } from './node-tree.ts'
import {
  addChild,
  adoptOrphans,
  assetsAmong,
  freeChildName,
  getRootNode,
  inSubtree,
  lockTree,
  moveNode,
  type Node,
} from './tree.ts'

const BASE = '/api/v1/assets/nodes'

const child = z.object({ value: z.string().nullish(), id: z.guid().nullish() })
const CHILD = {
  fields: plainFields({
    ...{ id: 'uuid', key: 'string', value: 'string', org_id: 'uuid', name: 'string' },
    ...{ full_value: 'string', org_name: 'string' },
  }),
}
const moved = z.object({ nodes: z.array(z.guid()).max(1000) })
const linked = z.object({ assets: z.array(z.guid()).max(100_000) })

/** Calls that change the tree and what is in it (docs/rules/assets.md#node). */
export function registerNodeRoutes(kernel: Kernel, assets: MountedResource): void {
  registerChildren(kernel)
  registerAssets(kernel, assets)
}

function registerChildren(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'POST',
    url: `${BASE}/children/`,
    config: {
      access: ['org_admin'],
      summary: 'Create a child of the node named in the query, or of the root',
      takes: child,
      answers: CHILD,
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      const { key, id } = singleValues(request.query)
      const parent = (await namedNode(kernel, request, key || id)) ?? (await getRootNode(db, request.call.org.id))
      return reply.status(201).send(await createChild(kernel, request, reply, parent))
    },
  })
  app.route({
    method: 'POST',
    url: `${BASE}/:id/children/`,
    config: {
      access: ['org_admin'],
      summary: 'Create a child of a node',
      answerStatus: 201,
      takes: child,
      answers: CHILD,
    },
    handler: async (request, reply) => {
      const parent = (await namedNode(kernel, request, (request.params as { id: string }).id)) as Node
      return reply.status(201).send(await createChild(kernel, request, reply, parent))
    },
  })
  const move = async (request: FastifyRequest, reply: FastifyReply) => {
    const target = (await namedNode(kernel, request, (request.params as { id: string }).id)) as Node
    const { nodes } = moved.parse(request.body)
    await keepingChange(db, request, reply, (tx) => moveNodes(kernel, tx, request.call, nodes, target))
    // The contract has a bare JSON string here.
    return reply.type('application/json').send('"OK"')
  }
  app.route({
    method: ['PUT', 'PATCH'],
    url: `${BASE}/:id/children/add/`,
    config: {
      access: ['org_admin'],
      summary: 'Move nodes below this one',
      takes: moved,
      previews: previewed(kernel, move),
    },
    handler: move,
  })
}

/** Makes a node with the name and id that the body gives, or a free name; answers it as a row. */
async function createChild(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, parent: Node) {
  const { value, id } = child.parse(request.body ?? {})
  const { call } = request
  const node = await keepingChange(kernel.db, request, reply, async (tx) => {
    await lockTree(tx, parent.org_id)
    const name =
      value ??
      (await freeChildName(tx, parent, (number) => translate(call.language, 'New node {{number}}', { number })))
    const created = await addChild(tx, parent.id, name, id ?? undefined)
    await kernel.audit.record(tx, call, [
      {
        action: 'create',
        resourceType: 'Node',
        resource: created.full_value,
        orgId: created.org_id,
        object: { type: 'node', id: created.id },
        changes: [{ field: 'value', after: created.value }],
      },
    ])
    return created
  })
  const names = await kernel.orgNames()
  return {
    id: node.id,
    key: node.key,
    value: node.value,
    org_id: node.org_id,
    name: node.value,
    full_value: node.full_value,
    org_name: names.get(node.org_id) ?? '',
  }
}

/**
 * Puts the nodes with their subtrees below `target`. Throws 400 where one does not exist in its
 * organization.
 */
async function moveNodes(kernel: Kernel, tx: Database, call: Call, nodes: readonly string[], target: Node) {
  await lockTree(tx, target.org_id)
  const known = await tx
    .select()
    .from(assetsNode)
    .where(
      and(
        inArray(assetsNode.id, nodes.length ? [...nodes] : ['00000000-0000-0000-0000-000000000000']),
        eq(assetsNode.org_id, target.org_id),
      ),
    )
  if (known.length < new Set(nodes).size) throw invalid({ nodes: 'Not found.' })
  for (const id of nodes) await moveNode(tx, id, target.id)
  await linkBelow(tx, nodes)
  const moved = await tx
    .select()
    .from(assetsNode)
    .where(
      inArray(
        assetsNode.id,
        known.map(({ id }) => id),
      ),
    )
  const before = new Map(known.map((node) => [node.id, node.full_value]))
  await kernel.audit.record(
    tx,
    call,
    moved.map(({ id, full_value, org_id }) => ({
      action: 'update' as const,
      resourceType: nodeDefinition.label,
      resource: full_value,
      orgId: org_id,
      object: { type: nodeDefinition.name, id },
      changes: valueChanges(nodeDefinition.fields, { full_value: before.get(id) }, { full_value }),
    })),
  )
}

/** A moved subtree is below other nodes, to which system users may be bound. */
export async function linkBelow(db: Database, nodeIds: readonly string[]): Promise<void> {
  for (const id of nodeIds) {
    const [node] = await db.select().from(assetsNode).where(eq(assetsNode.id, id))
    if (!node) continue
    const rows = await db
      .selectDistinct({ id: assetsAssetNode.asset_id })
      .from(assetsAssetNode)
      .innerJoin(assetsNode, eq(assetsNode.id, assetsAssetNode.node_id))
      .where(inSubtree(node))
    await assetAccounts.value.placed(
      db,
      rows.map((row) => row.id),
    )
  }
}

/** Ids of the assets that are in the node itself. */
async function assetsIn(db: Database, { id }: Node): Promise<string[]> {
  const rows = await db
    .select({ id: assetsAssetNode.asset_id })
    .from(assetsAssetNode)
    .where(eq(assetsAssetNode.node_id, id))
  return rows.map((row) => row.id)
}

type Change = (db: Database, node: Node, assets: readonly string[]) => Promise<void>

async function putIn(db: Database, node: Node, assets: readonly string[]): Promise<void> {
  if (!assets.length) return
  await db.execute(
    sql`INSERT INTO assets_asset_node (asset_id, node_id) SELECT unnest(${sql.param([...assets])}::uuid[]), ${node.id} ON CONFLICT DO NOTHING`,
  )
  await assetAccounts.value.placed(db, assets)
}

const CHANGES: Record<'add' | 'replace' | 'remove', Change> = {
  add: putIn,
  /** Puts assets into this node and takes them out of all others. */
  async replace(db, node, assets) {
    if (!assets.length) return
    await putIn(db, node, assets)
    await db
      .delete(assetsAssetNode)
      .where(and(inArray(assetsAssetNode.asset_id, [...assets]), sql`${assetsAssetNode.node_id} <> ${node.id}`))
  },
  /** Takes assets out of this node; those in no other node go to the root. */
  async remove(db, node, assets) {
    if (!assets.length) return
    await db
      .delete(assetsAssetNode)
      .where(and(inArray(assetsAssetNode.asset_id, [...assets]), eq(assetsAssetNode.node_id, node.id)))
    await adoptOrphans(db, assets)
  },
}

function registerAssets(kernel: Kernel, assets: MountedResource): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: `${BASE}/:id/assets/`,
    config: {
      access: ['org_admin'],
      summary: 'Assets in a node, or in its subtree',
      rows: assets.definition,
      answers: 'rows or page',
    },
    handler: async (request, reply) => {
      const node = (await namedNode(kernel, request, (request.params as { id: string }).id)) as Node
      const context = contextOf(kernel, request)
      const query = sameQuery(context.query, {
        ...(unwatched(context.query) as Record<string, string>),
        node_id: node.id,
        node: '',
        show_current_asset: context.query.all ? '0' : '1',
        all: '',
      })
      return listRows(assets, { ...context, query }, request, reply)
    },
  })
  for (const change of ['add', 'replace', 'remove'] as const) {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const node = (await namedNode(kernel, request, (request.params as { id: string }).id)) as Node
      const { assets: ids } = linked.parse(request.body)
      await keepingChange(db, request, reply, async (tx) => {
        const known = await assetsAmong(tx, ids, node.org_id)
        const missing = [...new Set(ids)].filter((id) => !known.includes(id))
        if (missing.length) throw invalid({ assets: 'It does not exist, or belongs to another organization.' })
        // Locks their rows in order: of two calls that move the same assets, one waits, or an
        // asset could end up in no node.
        await tx.execute(
          sql`SELECT id FROM assets_asset WHERE id = ANY(${sql.param(known)}::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
        )
        const before = new Set(await assetsIn(tx, node))
        await CHANGES[change](tx, node, known)
        const after = new Set(await assetsIn(tx, node))
        const added = [...after].filter((id) => !before.has(id))
        const removed = [...before].filter((id) => !after.has(id))
        const links = { name: 'assets', added, removed }
        await kernel.audit.record(tx, request.call, [
          {
            action: 'update',
            resourceType: nodeDefinition.label,
            resource: node.full_value,
            orgId: node.org_id,
            object: { type: nodeDefinition.name, id: node.id },
            changes:
              added.length || removed.length
                ? [{ ...(await namedLinkChange(kernel, tx, 'asset', links)), label: 'Assets' }]
                : [],
          },
        ])
      })
      return {
        assets: await assetsIn(db, node),
        org_id: node.org_id,
        org_name: (await kernel.orgNames()).get(node.org_id) ?? '',
      }
    }
    app.route({
      method: ['PUT', 'PATCH'],
      url: `${BASE}/:id/assets/${change}/`,
      config: {
        access: ['org_admin'],
        summary: `Assets of a node: ${change}`,
        takes: linked,
        previews: previewed(kernel, handler),
      },
      handler,
    })
  }
}
