import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signInOf } from '../../../domains/authentication/index.ts'
import { AppError, invalid, notAuthenticated } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Carrier } from '../../../kernel/nodes/carried-elsewhere.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { byHome } from '../../by-home.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { personOf } from '../../session/person.ts'
import { sendArchive } from './archive.ts'
import { BrowserFiles } from './browser-files.ts'
import { asFile, readStart, receive, send } from './content.ts'
import { copy } from './copy.ts'
import { details, list, makeFolder, remove, rename } from './folders.ts'
import { measure } from './measure.ts'
import type { PendingUploads } from './pending-uploads.ts'
import { answerFor, refusalText, whose } from './places.ts'

/** Bytes of a file that are shown without saving it: enough of a text, or a whole picture. */
const MAX_PREVIEW = 10 * 1024 * 1024
/** Limit of the names in one archive: they are part of its address. */
const MAX_NAMES = 200

const path = z.string().min(1).max(4096).startsWith('/')
const name = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text !== '.' && text !== '..' && !text.includes('/'))
const offset = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0)
const yesOrNo = z.enum(['0', '1']).default('0')
const pathQuery = z.object({ path })
const listQuery = z.object({ path, hidden: yesOrNo })
const uploadQuery = z.object({ path, offset, replace: yesOrNo, more: yesOrNo })
const previewQuery = z.object({ path, limit: z.coerce.number().int().min(1).max(MAX_PREVIEW) })
const archiveQuery = z.object({
  folder: path,
  name: z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(name).min(1).max(MAX_NAMES)),
})
const renameBody = z.object({ from: path, to: path })
const copyBody = z.object({ from: path, to: path, offset, replace: z.boolean().default(false) })
const measureBody = z.object({ paths: z.array(path).min(1).max(10_000) })

const access = ['authenticated'] as const

/** Runs the work of one request with what its caller finds at `/`. */
type WithFiles = <T>(
  request: FastifyRequest,
  work: (root: FileRoot, uploads: PendingUploads) => Promise<T>,
) => Promise<T>

/** Parts that the routes of the file manager share. */
interface Shared {
  kernel: Kernel
  carriedBy: (request: FastifyRequest) => Promise<Carrier | undefined>
  withFiles: WithFiles
}

/**
 * A stream that the work answers belongs to the request until its end.
 * @throws 401 without a sign-in, 429 when too many file managers are open, else what `answerFor` makes of the fault.
 */
function filesOf(browsers: BrowserFiles): WithFiles {
  return async <T>(request: FastifyRequest, work: (root: FileRoot, uploads: PendingUploads) => Promise<T>) => {
    const { call } = request
    const signIn = signInOf(request)
    if (!signIn) throw notAuthenticated()
    const browser = browsers.enter(signIn, personOf(call))
    if (!browser) throw new AppError(429, 'throttled', 'Too many file managers are open: try again later')
    let answer: T | undefined
    try {
      answer = await work(browser.tree, browser.uploads)
      return answer
    } catch (error) {
      throw answerFor(error, call.language)
    } finally {
      if (answer instanceof Readable) finished(answer).then(browser.done, browser.done)
      else browser.done()
    }
  }
}

/**
 * {tg}/files/…: an asset's files for the browser, by the paths of the granted tree. Our own API
 * beside docs/rules/web-terminal.md#file_manager; refusals have the usual error shape.
 */
export function registerFileManager(kernel: Kernel): void {
  const browsers = new BrowserFiles(kernel)
  kernel.app.addHook('onClose', () => browsers.close())
  const shared: Shared = {
    kernel,
    // Connections to machines, and uploads between two parts.
    carriedBy: (request) => byHome(kernel, request),
    withFiles: filesOf(browsers),
  }
  registerLooking(shared)
  registerChanges(shared)
  registerDownloads(shared)
  registerUpload(shared)
}

/** Calls that look and change nothing. */
function registerLooking({ kernel, carriedBy, withFiles }: Shared): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: '/koko/files/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files: list a folder' },
    handler: (request) => {
      const query = listQuery.parse(singleValues(request.query))
      const hidden = query.hidden === '1' || kernel.config.sftpShowHidden
      return withFiles(request, (root) => list(root, query.path, { hidden }))
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/files/details/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files: what the machine says of one file' },
    handler: (request) => {
      const query = pathQuery.parse(singleValues(request.query))
      return withFiles(request, (root) => details(root, query.path))
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/files/place/',
    exposeHeadRoute: false,
    config: {
      access,
      carriedBy,
      summary: 'Files: which machine and system user a path leads to',
      answers: { fields: plainFields({ asset: 'uuid', system_user: 'uuid' }) },
    },
    handler: (request) => {
      const query = pathQuery.parse(singleValues(request.query))
      return withFiles(request, (root) => whose(root, query.path))
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/measure/',
    config: {
      access,
      carriedBy,
      summary: 'Files: count files, folders and bytes below some paths',
      answers: {
        fields: plainFields({
          ...{ files: 'integer', folders: 'integer', bytes: 'integer', is_more: 'boolean' },
          max_archive_bytes: 'integer',
        }),
      },
    },
    handler: (request) => {
      const body = measureBody.parse(request.body)
      return withFiles(request, (root) => measure(root, body.paths, kernel.config.zipMaxSize))
    },
  })
}

/** Calls that change names and folders, and copies. */
function registerChanges({ kernel, carriedBy, withFiles }: Shared): void {
  const { app } = kernel
  app.route({
    method: 'DELETE',
    url: '/koko/files/',
    config: { access, carriedBy, summary: 'Files: remove a file, or a folder with everything in it' },
    handler: async (request, reply) => {
      const query = pathQuery.parse(singleValues(request.query))
      await withFiles(request, (root) => remove(root, query.path))
      return reply.status(204).send()
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/folders/',
    config: {
      access,
      carriedBy,
      summary: 'Files: make a folder',
      answers: { fields: plainFields({ path: 'string' }) },
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      const body = pathQuery.parse(request.body)
      await withFiles(request, (root) => makeFolder(root, body.path))
      return reply.status(201).send({ path: body.path })
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/rename/',
    config: {
      access,
      carriedBy,
      summary: 'Files: rename or move within one machine',
      answers: { fields: plainFields({ path: 'string' }) },
    },
    handler: async (request) => {
      const body = renameBody.parse(request.body)
      await withFiles(request, (root) => rename(root, body.from, body.to))
      return { path: body.to }
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/copy/',
    // Its lines are to arrive as they are said.
    compress: false,
    config: { access, carriedBy, summary: 'Files: copy a file, also to another machine' },
    handler: async (request, reply) => {
      const body = copyBody.parse(request.body)
      const lines = await withFiles(request, (root) =>
        copy(root, body, (error) => refusalText(answerFor(error, request.call.language), request.call.language)),
      )
      return reply
        .headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .send(lines)
    },
  })
}

/** Bytes of files, whole or in part. */
function registerDownloads({ kernel, carriedBy, withFiles }: Shared): void {
  const { app } = kernel
  // After the policy of pages, which every answer has: nothing of a machine may run or be shown as
  // a page of this origin.
  const onSend = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', "sandbox; default-src 'none'")
  }
  app.route({
    method: 'GET',
    url: '/koko/files/preview/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files: the first bytes of a file', answers: 'file' },
    onSend,
    handler: async (request, reply) => {
      const query = previewQuery.parse(singleValues(request.query))
      const bytes = await withFiles(request, (root) => readStart(root, query.path, query.limit))
      return reply.headers({ ...asFile('preview'), 'content-type': 'application/octet-stream' }).send(bytes)
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/files/archive/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files: several files or folders of one folder as a .zip', answers: 'file' },
    onSend,
    handler: async (request, reply) => {
      const query = archiveQuery.parse(request.query)
      const order = { folder: query.folder, names: query.name, maxBytes: kernel.config.zipMaxSize }
      return reply.send(await withFiles(request, (root) => sendArchive(root, order, reply)))
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/files/content/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files: download, from any byte on', answers: 'file' },
    onSend,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const query = pathQuery.parse(singleValues(request.query))
      return reply.send(await withFiles(request, (root) => send(root, query.path, request.headers.range, reply)))
    },
  })
}

/** Upload of one file, in one part or several. */
function registerUpload({ kernel, carriedBy, withFiles }: Shared): void {
  const { app } = kernel
  // In a scope of its own, so that no other route takes a stream of bytes.
  app.register(async (scope) => {
    scope.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))
    scope.route({
      method: 'PUT',
      url: '/koko/files/content/',
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { access, carriedBy, summary: 'Files: upload, or go on with an upload', answers: 'nothing' },
      handler: async (request, reply) => {
        const { replace, more, ...query } = uploadQuery.parse(singleValues(request.query))
        const { body } = request
        if (!(body instanceof Readable)) throw invalid({ body: 'This field is required.' })
        await withFiles(request, (root, uploads) =>
          receive(root, uploads, { ...query, replace: replace === '1', more: more === '1', body }),
        )
        return reply.status(204).send()
      },
    })
  })
}
