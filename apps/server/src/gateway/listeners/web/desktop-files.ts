import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sessionCarrier } from '../../../domains/terminal/index.ts'
import { callerOf } from '../../../kernel/access/call.ts'
import { invalid, notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import type { Gateway } from '../../gateway.ts'
import { fitName, nameOf } from '../../kinds/desktop/files/names.ts'
import type { SessionFolder } from '../../kinds/desktop/files/session-folder.ts'
import {
  type FolderFault,
  FolderRefusal,
  MAX_BYTES,
  type SharedEntry,
} from '../../kinds/desktop/files/shared-folder.ts'
import { asFile } from '../file-manager/content.ts'
import { answerFor } from '../file-manager/places.ts'

const access = ['authenticated'] as const
const ofSession = z.object({ id: z.guid() })
const ofFile = ofSession.extend({ file: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })
const uploadQuery = z.object({
  name: z.string().min(1).max(1024),
  /** As the answer to the part before has called it. */
  upload: z.guid().optional(),
  offset: z.coerce.number().int().min(0).max(MAX_BYTES).default(0),
  /** Another part follows. */
  more: z.enum(['0', '1']).default('0'),
})

const NO_ROOM = 'There is no room for more files in this session'
const GONE = 'The file is not there any more'

/** Error codes of the disk of this node; a session that ends takes its folder with it. */
const FAULTS: ReadonlyMap<string | undefined, FolderFault> = new Map([
  ['ENOENT', 'missing'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
])

/**
 * {tg}/desktops/<session>/files/: files that a person and the machine of their running desktop
 * exchange. A person whose session it is not finds nothing.
 */
export function registerDesktopFiles(kernel: Kernel, gateway: Pick<Gateway, 'find'>): void {
  const { app } = kernel
  const carriedBy = async ({ params }: FastifyRequest) => {
    const { data } = ofSession.safeParse(params)
    const node = data && (await sessionCarrier(kernel, data.id))
    return node && { nodes: [node], unreachable: 'refuse' as const }
  }
  const filesOf = ({ params, call }: FastifyRequest): SessionFolder => {
    const live = gateway.find(ofSession.parse(params).id)
    if (live?.kind !== 'desktop' || live.isOver || live.person.id !== callerOf(call).id || !live.files) throw notFound()
    return live.files
  }
  app.route({
    method: 'GET',
    url: '/koko/desktops/:id/files/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files of a running desktop: what its person and the machine put there' },
    handler: async (request) => {
      const files = filesOf(request)
      const { upload, download, paste } = await files.may()
      const entries = files.folder.entries.filter(({ isFolder }) => !isFolder).map(shownFile)
      const copied = [...files.copied].map(([id, { path, size = null }]) => ({ id, name: nameOf(path), path, size }))
      return {
        may_upload: upload,
        may_download: download,
        may_paste: paste,
        bytes_left: files.folder.bytesLeft,
        entries,
        copied,
      }
    },
  })
  app.route({
    method: 'GET',
    url: '/koko/desktops/:id/files/:file/',
    exposeHeadRoute: false,
    config: { access, carriedBy, summary: 'Files of a running desktop: download one', answers: 'file' },
    onSend: sandboxed,
    handler: (request, reply) =>
      answering(request, async () => {
        const files = filesOf(request)
        const file = fileOf(files, request)
        if (file.writers) throw refused('file_open', 'The machine is still writing this file')
        return sendFile(file.path, await files.send(file), reply)
      }),
  })
  app.route({
    method: 'GET',
    url: '/koko/desktops/:id/files/copied/:file/',
    exposeHeadRoute: false,
    config: {
      access,
      carriedBy,
      summary: 'Files of a running desktop: download one that was copied on the machine',
      answers: 'file',
    },
    onSend: sandboxed,
    handler: (request, reply) =>
      answering(request, async () => {
        const files = filesOf(request)
        const { file } = ofFile.parse(request.params)
        const path = files.copied.get(file)?.path
        if (path === undefined) throw notFound()
        return sendFile(path, await files.sendCopied(file), reply)
      }),
  })
  app.route({
    method: 'DELETE',
    url: '/koko/desktops/:id/files/:file/',
    config: { access, carriedBy, summary: 'Files of a running desktop: remove one' },
    handler: (request, reply) =>
      answering(request, async () => {
        const files = filesOf(request)
        await files.remove(fileOf(files, request))
        return reply.status(204).send()
      }),
  })
  // In a scope of its own, so that no other route takes a stream of bytes.
  app.register(async (scope) => {
    scope.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))
    scope.route({
      method: 'PUT',
      url: '/koko/desktops/:id/files/',
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { access, carriedBy, summary: 'Files of a running desktop: upload one, whole or in parts' },
      handler: (request, reply) =>
        answering(request, async () => {
          const files = filesOf(request)
          const { name: wanted, upload, offset, more } = uploadQuery.parse(singleValues(request.query))
          const name = fitName(wanted)
          if (name === undefined) throw invalid({ name: 'No file can be called so' })
          const { body } = request
          if (!(body instanceof Readable)) throw invalid({ body: 'This field is required.' })
          const got = await files.uploads.take({ name, upload, offset, more: more === '1', body })
          return typeof got === 'string'
            ? reply.status(202).send({ upload: got })
            : reply.status(201).send(shownFile(got))
        }),
    })
  })
}

function fileOf(files: SessionFolder, { params }: FastifyRequest): SharedEntry {
  const file = files.folder.byId(ofFile.parse(params).file)
  if (!file || file.isFolder) throw notFound()
  return file
}

function sendFile(path: string, { size, content }: OpenedFile, reply: FastifyReply): FastifyReply {
  return reply
    .headers({ ...asFile(nameOf(path)), 'content-length': size, 'content-type': 'application/octet-stream' })
    .send(content)
}

/** After the policy of pages: nothing of a machine may run or be shown as a page of this origin. */
const sandboxed = async (_request: FastifyRequest, reply: FastifyReply) =>
  void reply.header('content-security-policy', "sandbox; default-src 'none'")

type OpenedFile = Awaited<ReturnType<SessionFolder['send']>>

/** @throws what `answerFor` makes of the fault */
async function answering<T>({ call }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = error instanceof FolderRefusal ? error.fault : FAULTS.get((error as NodeJS.ErrnoException).code)
    if (fault) throw refused('files_refused', fault === 'full' ? NO_ROOM : GONE)
    throw answerFor(error, call.language)
  }
}

/** Facts about a file for a page. */
const shownFile = ({ id, path, size, modified, isFromPerson, writers }: SharedEntry) => ({
  ...{ id, name: nameOf(path), path, size, modified: Math.floor(modified / 1000) },
  is_own: isFromPerson,
  /** The machine has not finished with it. */
  is_open: writers > 0,
})
