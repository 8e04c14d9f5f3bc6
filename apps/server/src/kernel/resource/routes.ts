import type { Access } from '@sallyport/contract/access.ts'
import type { Operation, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../access/guard.ts'
import { changeOf } from '../audit/named-change.ts'
import { AppError, forbidden, refused } from '../errors/app-error.ts'
import type { Kernel } from '../kernel.ts'
import { deleteListed, deleteRowsById } from './delete.ts'
import { CHANGES, DESCRIBED, type Described, TAKES_MANY } from './described/calls.ts'
import { metadataOf, metadataOfRow } from './described/metadata.ts'
import { sendExport } from './export.ts'
import { renderImport } from './import.ts'
import { importProgress, startImport, stopImport, tryImport } from './import-job/routes.ts'
import { addressOf, listRows } from './lists/list.ts'
import { columnOf, type Mount, type ReadContext, readableColumns } from './mount.ts'
import { previewed } from './preview/preview.ts'
import { repeatedValues, singleValues } from './query.ts'
import { presentAll, presentOne, retrieveRow } from './read.ts'
import { type MountedResource, resourcesOf } from './registry.ts'
import { suggestRows } from './suggestions.ts'
import { createRow, createRows, updateRow, updateRows } from './write.ts'

/**
 * Serves a resource: every generic call that its definition lists, with permission, organization
 * scope, validation and operate log (B7.27 to B7.45).
 */
export function mountResource<D extends ResourceDefinition, T extends PgTable>(
  kernel: Kernel,
  definition: D,
  mount: Mount<NoInfer<D>, T>,
): MountedResource<T> {
  // The engine reads resources by names alone; their rules are typed by their own table all the
  // same.
  const resource = { definition, mount: mount as unknown as MountedResource<T>['mount'] }
  columnOf(mount.table, 'id')
  refuseOpenScope(definition)
  refuseEmptyFilters(resource)
  resourcesOf(kernel).add(resource)
  const add = routesOf(kernel, definition)
  addMetadata(resource, add)
  addReads(resource, add)
  addCreate(resource, add)
  addImport(resource, add)
  addUpdates(resource, add)
  addDeletes(resource, add)
  return resource
}

type Answer = (context: ReadContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const isAnybody = (word: Access) => word === 'anonymous' || word === 'authenticated' || word === 'org_member'

/** Registers one call of a resource. Where `access` names nobody, the call does not exist. */
type AddRoute = (
  method: string,
  url: string,
  access: readonly Access[],
  summary: string,
  answer: Answer,
  described?: Described,
  /** The handler of its preview, where that is another one. */
  tried?: Answer,
) => void

function routesOf(kernel: Kernel, definition: ResourceDefinition): AddRoute {
  const { label, needsLicense, bearsRights } = definition
  return (method, url, access, summary, answer, described = 'metadata', tried = answer) => {
    if (!access.length) return
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      answer({ ...contextOf(kernel, request), change: changeOf(reply) }, request, reply)
    const preview = previewed(kernel, (request, reply) => tried(contextOf(kernel, request), request, reply))
    kernel.app.route({
      method,
      url,
      config: {
        access,
        needsLicense,
        summary: `${label}: ${summary}`,
        ...DESCRIBED[described](definition),
        // A person has few rows of their own.
        ...(TAKES_MANY.includes(described) && !access.some(isAnybody) ? { takesMany: true } : {}),
        ...(bearsRights && CHANGES.includes(described) ? { previews: preview } : {}),
      },
      handler,
    })
  }
}

const offers = ({ definition }: MountedResource, operation: Operation) => definition.operations.includes(operation)

/** Access to create rows, by hand or from a file. */
const createAccess = ({ definition: { permission } }: MountedResource) => permission.create ?? permission.write

/** Access to change existing rows. */
const updateAccess = ({ definition: { permission } }: MountedResource) => permission.update ?? permission.write

/** Calls at the resource's address that its domain serves itself, such as a create with rules of its own. */
const ownCalls = (kernel: Kernel, path: string) =>
  kernel.routes.filter(({ method, url, config }) => method === 'POST' && url === path && config.takes)

/** Adds the metadata of forms and lists, for everybody who may use either. */
function addMetadata(resource: MountedResource, add: AddRoute): void {
  const { path, permission } = resource.definition
  const anyone = [...new Set([...permission.list, ...createAccess(resource), ...updateAccess(resource)])]
  add('OPTIONS', path, anyone, 'metadata', async ({ kernel, call, query }) =>
    metadataOf(resource, call, query, ownCalls(kernel, path)),
  )
  if (!(['retrieve', 'update', 'partial_update'] as const).some((operation) => offers(resource, operation))) return
  add('OPTIONS', `${path}:id/`, anyone, 'metadata', (context, request) =>
    metadataOfRow(resource, idOf(request), context),
  )
}

function addReads(resource: MountedResource, add: AddRoute): void {
  const { path, permission } = resource.definition
  const { rules } = resource.mount
  if (offers(resource, 'list')) {
    add(
      'GET',
      path,
      permission.list,
      'list',
      async (context, request, reply) => {
        await rules?.beforeRead?.(context)
        const { format } = context.query
        if (format && format !== 'json') return exportRows(resource, context, reply)
        return listRows(resource, context, request, reply)
      },
      'answers a list',
    )
  }
  if (offers(resource, 'suggestions')) {
    add(
      'GET',
      `${path}suggestions/`,
      permission.suggestions ?? permission.list,
      'suggestions',
      (context, request) => suggestRows(resource, context, addressOf(request)),
      'answers a list',
    )
  }
  if (offers(resource, 'retrieve')) {
    add(
      'GET',
      `${path}:id/`,
      permission.retrieve ?? permission.list,
      'read one',
      async (context, request) => {
        await rules?.beforeRead?.(context)
        return retrieveRow(resource, idOf(request), context)
      },
      'answers a row',
    )
  }
}

/** The list as a file. Templates for imports are only for those who may import. */
async function exportRows(resource: MountedResource, context: ReadContext, reply: FastifyReply): Promise<unknown> {
  if (!offers(resource, 'export') && !offers(resource, 'import'))
    throw refused('bad_request', 'This list has no export.')
  const { template } = context.query
  if (template && template !== 'export' && !may(createAccess(resource), context.call)) throw forbidden()
  return sendExport(resource, context, reply)
}

function addCreate(resource: MountedResource, add: AddRoute): void {
  if (!offers(resource, 'create')) return
  add(
    'POST',
    resource.definition.path,
    createAccess(resource),
    'create',
    async (context, { body }, reply) => {
      reply.status(201)
      if (Array.isArray(body)) return presentAll(resource, await createRows(resource, body, context), context)
      return presentOne(resource, await createRow(resource, body, context), context)
    },
    'creates',
  )
}

function addImport(resource: MountedResource, add: AddRoute): void {
  if (!offers(resource, 'import')) return
  const { path } = resource.definition
  add(
    'POST',
    `${path}render-to-json/`,
    createAccess(resource),
    'preview an import',
    async (context, request) => {
      if (!Buffer.isBuffer(request.body))
        throw new AppError(400, 'bad_request', 'Send the file itself as the body, as text/csv or text/xlsx.')
      return renderImport(resource, request.body, request.headers['content-type'], context)
    },
    'takes a file',
  )
  // An import creates or updates: a caller with either right may call this, and `startImport`
  // checks the right.
  const access = [...new Set([...createAccess(resource), ...updateAccess(resource)])]
  const jobs = `${path}import-jobs/`
  add(
    'POST',
    jobs,
    access,
    'import rows in the background',
    async (context, request, reply) => {
      reply.status(202)
      return startImport(resource, request.body, context)
    },
    'imports',
    (context, request) => tryImport(resource, request.body, context),
  )
  const progress: Answer = (context, request) => importProgress(resource, request, context)
  add('GET', `${jobs}:job/`, access, 'progress of an import', progress, 'progress')
  const stop: Answer = async (context, request, reply) => {
    await stopImport(resource, request, context)
    return reply.status(204).send()
  }
  add('DELETE', `${jobs}:job/`, access, 'stop an import', stop, 'stops')
}

function addUpdates(resource: MountedResource, add: AddRoute): void {
  const { path } = resource.definition
  const access = updateAccess(resource)
  const methods = [
    ['PUT', 'update', 'update'],
    ['PATCH', 'patch', 'partial_update'],
  ] as const
  for (const [method, mode, operation] of methods) {
    if (offers(resource, operation)) {
      add(
        method,
        `${path}:id/`,
        access,
        mode,
        async (context, request) =>
          presentOne(resource, await updateRow(resource, idOf(request), mode, request.body, context), context),
        'takes a row',
      )
    }
    if (offers(resource, 'bulk_update')) {
      add(
        method,
        path,
        access,
        `bulk ${mode}`,
        async (context, request) => {
          if (!Array.isArray(request.body)) throw refused('bad_request', 'Expected a list of objects.')
          return presentAll(resource, await updateRows(resource, mode, request.body, context), context)
        },
        'takes rows',
      )
    }
  }
}

function addDeletes(resource: MountedResource, add: AddRoute): void {
  const { path, permission } = resource.definition
  const access = permission.destroy ?? permission.write
  if (offers(resource, 'destroy')) {
    add(
      'DELETE',
      `${path}:id/`,
      access,
      'delete one',
      async (context, request, reply) => {
        // One id, or several with commas between where the resource can be deleted in bulk.
        const ids = offers(resource, 'bulk_destroy') ? idOf(request).split(',') : [idOf(request)]
        await deleteRowsById(resource, ids, context)
        return reply.status(204).send()
      },
      'deletes',
    )
  }
  if (offers(resource, 'bulk_destroy')) {
    add(
      'DELETE',
      path,
      access,
      'bulk delete',
      async (context, _request, reply) => {
        await deleteListed(resource, context)
        return reply.status(204).send()
      },
      'deletes',
    )
  }
}

/**
 * Rows of an organization must not be open to everybody who is signed in, since the header may name
 * any organization.
 */
function refuseOpenScope({ name, scope, permission }: ResourceDefinition): void {
  const words = Object.values(permission).flat()
  if (scope === 'org' && words.includes('authenticated'))
    throw new Error(`resource ${name} belongs to organizations: open it to org_member`)
}

/** A filter that compares nothing would show everything, whatever it is asked for. */
function refuseEmptyFilters({ definition, mount }: MountedResource): void {
  const columns = readableColumns(mount)
  for (const filter of definition.filters) {
    const name = typeof filter === 'string' ? filter : filter.name
    if (!mount.filters?.[name] && !mount.relations?.[name] && !columns[name])
      throw new Error(`filter ${name} of resource ${definition.name} has nothing to compare`)
  }
}

/** The part of this request that the engine's reads and writes need. */
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
