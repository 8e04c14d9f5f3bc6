import type { Access } from '@sallyport/contract/access.ts'
import type { Operation, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../access/guard.ts'
import { AppError, forbidden, refused } from '../errors/app-error.ts'
import type { Kernel } from '../kernel.ts'
import { deleteListed, deleteRowsById } from './delete.ts'
import { sendExport } from './export.ts'
import { renderImport, uploadType } from './import.ts'
import { importProgress, startImport, stopImport } from './import-job/routes.ts'
import { metadataOf } from './metadata.ts'
import { columnOf, type Mount, type ReadContext } from './mount.ts'
import { repeatedValues, singleValues } from './query.ts'
import { listRows, presentAll, presentOne, retrieveRow } from './read.ts'
import { type MountedResource, resourcesOf } from './registry.ts'
import { suggestRows } from './suggestions.ts'
import { createRow, createRows, updateRow, updateRows } from './write.ts'

/**
 * Puts a resource on the server: every generic call that its definition names, with permission,
 * organisation scope, validation and operate log (spec B §7 "Generic list, detail and form calls",
 * "Export and import").
 */
export function mountResource<D extends ResourceDefinition, T extends PgTable>(
  kernel: Kernel,
  definition: D,
  mount: Mount<NoInfer<D>, T>,
): MountedResource<T> {
  // The engine reads every resource by names alone; its rules are given the rows of their own table
  // all the same.
  const resource = { definition, mount: mount as unknown as MountedResource<T>['mount'] }
  columnOf(mount.table, 'id')
  refuseOpenScope(definition)
  resourcesOf(kernel).add(resource)
  const { path, permission } = definition
  const has = (operation: Operation) => definition.operations.includes(operation)
  const listAccess = permission.list
  const writeAccess = permission.write
  const add = (
    method: string,
    url: string,
    access: readonly Access[],
    summary: string,
    answer: (context: ReadContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => {
    if (!access.length) return
    kernel.app.route({
      method,
      url,
      config: { access, needsLicense: definition.needsLicense, summary: `${definition.label}: ${summary}` },
      handler: (request, reply) => answer(contextOf(kernel, request), request, reply),
    })
  }

  if (has('metadata')) {
    const anyone = [...new Set([...listAccess, ...writeAccess, ...(permission.create ?? [])])]
    add('OPTIONS', path, anyone, 'metadata', async ({ call, query }) => metadataOf(resource, call, query))
    if (has('retrieve'))
      add('OPTIONS', `${path}:id/`, anyone, 'metadata', async ({ call, query }) => metadataOf(resource, call, query))
  }
  if (has('list')) {
    add('GET', path, listAccess, 'list', async (context, request, reply) => {
      await mount.rules?.beforeRead?.(context)
      if (!context.query.format || context.query.format === 'json')
        return listRows(resource, context, addressOf(request))
      if (!has('export') && !has('import')) throw refused('bad_request', 'This list has no export.')
      if (
        context.query.template &&
        context.query.template !== 'export' &&
        !may(permission.create ?? writeAccess, context.call)
      )
        throw forbidden()
      return sendExport(resource, context, reply)
    })
  }
  if (has('suggestions')) {
    add('GET', `${path}suggestions/`, permission.suggestions ?? listAccess, 'suggestions', (context, request) =>
      suggestRows(resource, context, addressOf(request)),
    )
  }
  if (has('create')) {
    add('POST', path, permission.create ?? writeAccess, 'create', async (context, request, reply) => {
      reply.status(201)
      if (Array.isArray(request.body))
        return presentAll(resource, await createRows(resource, request.body, context), context)
      return presentOne(resource, await createRow(resource, request.body, context), context)
    })
  }
  if (has('import')) {
    add(
      'POST',
      `${path}render-to-json/`,
      permission.create ?? writeAccess,
      'preview an import',
      async (context, request) => {
        const type = uploadType(request.headers['content-type'])
        if (!type || !Buffer.isBuffer(request.body))
          throw new AppError(400, 'bad_request', 'Send the file itself as the body, as text/csv or text/xlsx.')
        return renderImport(resource, request.body, type, context)
      },
    )
    // Whoever may write in one of the two ways; the import itself asks for the right of its own.
    const importAccess = [...new Set([...(permission.create ?? writeAccess), ...(permission.update ?? writeAccess)])]
    add(
      'POST',
      `${path}import-jobs/`,
      importAccess,
      'import rows in the background',
      async (context, request, reply) => {
        reply.status(202)
        return startImport(resource, request.body, context)
      },
    )
    add('GET', `${path}import-jobs/:job/`, importAccess, 'progress of an import', (context, request) =>
      importProgress(resource, request, context),
    )
    add('DELETE', `${path}import-jobs/:job/`, importAccess, 'stop an import', async (context, request, reply) => {
      await stopImport(resource, request, context)
      return reply.status(204).send()
    })
  }
  if (has('retrieve'))
    add('GET', `${path}:id/`, permission.retrieve ?? listAccess, 'read one', async (context, request) => {
      await mount.rules?.beforeRead?.(context)
      return retrieveRow(resource, idOf(request), context)
    })

  const updateAccess = permission.update ?? writeAccess
  const writes = [
    ['PUT', 'update', has('update')],
    ['PATCH', 'patch', has('partial_update')],
  ] as const
  for (const [method, mode, offered] of writes) {
    if (offered)
      add(method, `${path}:id/`, updateAccess, mode, async (context, request) =>
        presentOne(resource, await updateRow(resource, idOf(request), mode, request.body, context), context),
      )
    if (has('bulk_update')) {
      add(method, path, updateAccess, `bulk ${mode}`, async (context, request) => {
        if (!Array.isArray(request.body)) throw refused('bad_request', 'Expected a list of objects.')
        return presentAll(resource, await updateRows(resource, mode, request.body, context), context)
      })
    }
  }

  const destroyAccess = permission.destroy ?? writeAccess
  if (has('destroy')) {
    add('DELETE', `${path}:id/`, destroyAccess, 'delete one', async (context, request, reply) => {
      const ids = has('bulk_destroy') ? idOf(request).split(',') : [idOf(request)]
      await deleteRowsById(resource, ids, context)
      return reply.status(204).send()
    })
  }
  if (has('bulk_destroy')) {
    add('DELETE', path, destroyAccess, 'bulk delete', async (context, _request, reply) => {
      await deleteListed(resource, context)
      return reply.status(204).send()
    })
  }
  return resource
}

/**
 * Rows of an organisation are never for everybody who is signed in: the header names any
 * organisation.
 */
function refuseOpenScope({ name, scope, permission }: ResourceDefinition): void {
  const words = Object.values(permission).flat()
  if (scope === 'org' && words.includes('authenticated'))
    throw new Error(`resource ${name} belongs to organisations: open it to org_member`)
}

/** What the engine's reads and writes run with for this request. */
export function contextOf(kernel: Kernel, request: FastifyRequest): ReadContext {
  return {
    kernel,
    db: kernel.db,
    call: request.call,
    parameters: (request.params ?? {}) as Record<string, string>,
    query: singleValues(request.query),
    repeated: repeatedValues(request.query),
  }
}

const idOf = (request: FastifyRequest) => (request.params as { id: string }).id

const addressOf = (request: FastifyRequest) => `${request.protocol}://${request.host}${request.url}`
