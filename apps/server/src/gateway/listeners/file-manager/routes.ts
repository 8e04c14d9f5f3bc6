import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signInOf } from '../../../domains/authentication/index.ts'
import { callerOf } from '../../../kernel/access/call.ts'
import { AppError, invalid, notAuthenticated } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import type { FileRoot } from '../../files/file-root.ts'
import { isDirectory, SftpStatus, STATUS } from '../../files/sftp-wire.ts'
import { exists, receive, send } from './content.ts'
import { answerFor, found, onMachine } from './places.ts'
import { FileVisits } from './visits.ts'

/** Entries of a folder that a browser is shown. */
const MAX_ENTRIES = 20_000

const path = z.string().min(1).max(4096).startsWith('/')
const pathQuery = z.object({ path })
const uploadQuery = z.object({
  path,
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  replace: z.enum(['0', '1']).default('0'),
})
const renameBody = z.object({ from: path, to: path })

const access = ['authenticated'] as const

/**
 * {tg}/files/…: an asset's files for the browser, by the paths of the granted tree. Our own API beside contract/web-terminal.yaml file_manager; refusals
 * have the usual error shape.
 */
export function registerFileManager(kernel: Kernel): void {
  const { app } = kernel
  const visits = new FileVisits(kernel)
  app.addHook('onClose', () => visits.close())

  /** Runs `work` with what the caller finds at `/`; a stream that it answers belongs to the request until its end. */
  async function visiting<T>(request: FastifyRequest, work: (root: FileRoot) => Promise<T>): Promise<T> {
    const { call } = request
    const signIn = signInOf(request)
    if (!signIn) throw notAuthenticated()
    const { id, name, username } = callerOf(call)
    const visit = visits.enter(signIn, { id, name, username, language: call.language, remoteAddress: call.remoteAddress, loginFrom: 'WT' })
    if (!visit) throw new AppError(429, 'throttled', 'Too many file managers are open: try again later')
    let answer: T | undefined
    try {
      answer = await work(visit.tree)
      return answer
    } catch (error) {
      throw answerFor(error, call.language)
    } finally {
      if (answer instanceof Readable) finished(answer).then(visit.done, visit.done)
      else visit.done()
    }
  }

  app.route({
    method: 'GET',
    url: '/koko/files/',
    exposeHeadRoute: false,
    config: { access, summary: 'Files: list a folder' },
    handler: (request) => {
      const query = pathQuery.parse(singleValues(request.query))
      return visiting(request, (root) => list(root, query.path))
    },
  })
  app.route({
    method: 'DELETE',
    url: '/koko/files/',
    config: { access, summary: 'Files: remove a file, or a folder with everything in it' },
    handler: async (request, reply) => {
      const query = pathQuery.parse(singleValues(request.query))
      await visiting(request, (root) => remove(root, query.path))
      return reply.status(204).send()
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/folders/',
    config: { access, summary: 'Files: make a folder' },
    handler: async (request, reply) => {
      const body = pathQuery.parse(request.body)
      await visiting(request, (root) => makeFolder(root, body.path))
      return reply.status(201).send({ path: body.path })
    },
  })
  app.route({
    method: 'POST',
    url: '/koko/files/rename/',
    config: { access, summary: 'Files: rename or move within one machine' },
    handler: async (request) => {
      const body = renameBody.parse(request.body)
      await visiting(request, (root) => rename(root, body.from, body.to))
      return { path: body.to }
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/files/content/',
    exposeHeadRoute: false,
    config: { access, summary: 'Files: download, from any byte on' },
    // After the policy of pages, which every answer has.
    onSend: async (_request, reply) => {
      reply.header('content-security-policy', "sandbox; default-src 'none'")
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const query = pathQuery.parse(singleValues(request.query))
      return reply.send(await visiting(request, (root) => send(root, query.path, request.headers.range, reply)))
    },
  })
  // In a scope of its own, so that no other route takes a stream of bytes.
  app.register(async (scope) => {
    scope.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))
    scope.route({
      method: 'PUT',
      url: '/koko/files/content/',
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { access, summary: 'Files: upload, or go on with an upload' },
      handler: async (request, reply) => {
        const { replace, ...query } = uploadQuery.parse(singleValues(request.query))
        const { body } = request
        if (!(body instanceof Readable)) throw invalid({ body: 'This field is required.' })
        await visiting(request, (root) => receive(root, { ...query, replace: replace === '1', body }))
        return reply.status(204).send()
      },
    })
  })
}

async function list(root: FileRoot, path: string) {
  const place = await root.locate(path)
  if (place.kind === 'virtual') {
    const entries = (await place.entries()).map(({ name }) => ({ name, kind: 'folder', size: null, modified: null }))
    return { is_machine: false, entries }
  }
  const entries = (await (await place.files()).list(place.path, MAX_ENTRIES)).map(({ name, attributes }) => ({
    name,
    kind: kindOf(attributes.mode),
    size: attributes.size ?? null,
    /** Unix seconds. */
    modified: attributes.mtime ?? null,
  }))
  return { is_machine: true, entries }
}

const FILE_TYPE = 0o170000
const KINDS = new Map<number, 'folder' | 'link' | 'file'>([
  [0o040000, 'folder'],
  [0o120000, 'link'],
  [0o100000, 'file'],
])

const kindOf = (mode = 0) => KINDS.get(mode & FILE_TYPE) ?? 'other'

async function remove(root: FileRoot, path: string): Promise<void> {
  const place = await onMachine(root, path)
  const files = await place.files()
  if (isDirectory(await files.lstat(place.path))) await files.rmdir(place.path, { recursive: true })
  else await files.remove(place.path)
}

async function makeFolder(root: FileRoot, path: string): Promise<void> {
  const place = await onMachine(root, path)
  const files = await place.files()
  if (await found(files, place.path)) throw exists()
  await files.mkdir(place.path)
}

async function rename(root: FileRoot, from: string, to: string): Promise<void> {
  const [old, name] = [await onMachine(root, from), await onMachine(root, to)]
  if (old.key !== name.key) throw new SftpStatus(STATUS.FAILURE, 'Files can only be renamed within one machine')
  const files = await old.files()
  if (await found(files, name.path)) throw exists()
  await files.rename(old.path, name.path)
}
