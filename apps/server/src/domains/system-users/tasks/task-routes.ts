import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { isRoot } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { assetsAssetInNode, findNode, getAsset, subtreeIds } from '../../assets/index.ts'
import { findSystemUser } from '../find-system-user.ts'
import { startPush, startRemoval } from './push/push.ts'
import { knownAssets, linkedAssets, linkedSystemUsers, startAssetTask, startSystemUserTest } from './tasks.ts'

const ids = z.array(z.guid()).max(10_000)

const assetTask = z.object({
  action: z.enum(['refresh', 'test', 'push_system_user', 'test_system_user']),
  system_users: ids.optional(),
})
const assetsTask = z.object({ action: z.enum(['refresh', 'test']), assets: ids })
const nodeTask = z.object({ action: z.enum(['refresh', 'test', 'refresh_cache']) })
const systemUserTask = z.object({
  action: z.enum(['push', 'test', 'remove']),
  asset: z.guid().nullish(),
  assets: ids.nullish(),
})

/** For a system user that takes people's names, one alone is pushed. */
const pushQuery = z.object({
  username: z
    .string()
    .max(128)
    .regex(/^[\w@.-]+$/)
    .optional(),
})

/** Calls that start jobs (docs/rules/assets.md#tasks); each answers 201 {task}. */
export function registerTaskRoutes(kernel: Kernel): void {
  registerAssetTasks(kernel)
  registerNodeTasks(kernel)
  registerSystemUserTasks(kernel)
}

function registerAssetTasks(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/:id/tasks/',
    config: {
      access: ['org_admin'],
      summary: 'Start a job on one asset',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: assetTask,
    },
    handler: async (request, reply) => {
      const body = assetTask.parse(request.body)
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      reply.status(201)
      if (body.action === 'refresh' || body.action === 'test')
        return { task: await startAssetTask(kernel, request.call, asset.org_id, body.action, [asset.id]) }
      const linked = await linkedSystemUsers(kernel, asset.id)
      const chosen = body.system_users ? linked.filter((id) => body.system_users?.includes(id)) : linked
      const task =
        body.action === 'push_system_user'
          ? await startPush(kernel, request.call, { orgId: asset.org_id, assets: [asset.id], systemUsers: chosen })
          : await startSystemUserTest(kernel, request.call, asset.org_id, [asset.id], chosen)
      return { task }
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/tasks/',
    config: {
      access: ['org_admin'],
      summary: 'Start a job on many assets',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: assetsTask,
    },
    handler: async (request, reply) => {
      const { action, assets } = assetsTask.parse(request.body)
      const known = await knownAssets(kernel, request.call, assets)
      return reply
        .status(201)
        .send({ task: await startAssetTask(kernel, request.call, request.call.org.id, action, known) })
    },
  })
}

function registerNodeTasks(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/assets/nodes/:id/tasks/',
    config: {
      access: ['org_admin'],
      summary: 'Start a job on all assets of a subtree',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: nodeTask,
    },
    handler: async (request, reply) => {
      const { action } = nodeTask.parse(request.body)
      const { call } = request
      const node = await findNode(db, (request.params as { id: string }).id, isRoot(call) ? undefined : call.org.id)
      reply.status(201)
      // Counts are computed when asked for: there is no cache to refresh.
      if (!node && action === 'refresh_cache') return { task: '0' }
      if (!node) throw notFound()
      const nodes = await subtreeIds(db, node)
      const rows = await db
        .selectDistinct({ id: assetsAssetInNode.asset_id })
        .from(assetsAssetInNode)
        .where(sql`${assetsAssetInNode.node_id} = ANY(${sql.param(nodes)}::uuid[])`)
      return {
        task: await startAssetTask(
          kernel,
          call,
          node.org_id,
          action === 'refresh' ? 'refresh' : 'test',
          rows.map((row) => row.id),
          { subject: node.full_value },
        ),
      }
    },
  })
}

function registerSystemUserTasks(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/assets/system-users/:id/tasks/',
    config: {
      access: ['org_admin'],
      summary: 'Make a system user on assets, test it there, or take it away',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: systemUserTask,
    },
    handler: async (request, reply) => {
      const body = systemUserTask.parse(request.body)
      const { call } = request
      const { id, org_id } = await findSystemUser(kernel, request, (request.params as { id: string }).id)
      const named = [...(body.assets ?? []), ...(body.asset ? [body.asset] : [])]
      const assets = named.length ? await knownAssets(kernel, call, named) : await linkedAssets(kernel, id)
      const { username } = pushQuery.parse(request.query)
      const task =
        body.action === 'push'
          ? await startPush(kernel, call, { orgId: org_id, assets, systemUsers: [id], username })
          : body.action === 'remove'
            ? await startRemoval(kernel, call, { orgId: org_id, assets, systemUsers: [id], username })
            : await startSystemUserTest(kernel, call, org_id, assets, [id])
      return reply.status(201).send({ task })
    },
  })
}
