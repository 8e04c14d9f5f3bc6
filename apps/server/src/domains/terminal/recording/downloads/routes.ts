import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid, notFound } from '../../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { isUuid } from '../../../../kernel/resource/conditions.ts'
import { type ReplaySuffix, STATEMENTS } from '../../replay-suffix.ts'
import { noteDownload } from '../../replay-takers.ts'
import type { StoredSession } from '../../session.resource.ts'
import { linesOf } from '../lines.ts'
import { findReplay, type ReplayFile } from '../replay-file.ts'
import type { ReplayRoutes } from '../routes.ts'
import { statementText } from '../statement-text.ts'
import { openReplay, pageOf, tarOf, textOf } from './downloads.ts'

/** Forms of a download, and the only recordings that come in them. */
const FORMATS: Readonly<Record<Format, readonly ReplaySuffix[] | undefined>> = {
  tar: undefined,
  cast: ['.cast.gz'],
  html: ['.cast.gz', '.desktop.gz'],
  txt: [STATEMENTS],
}
type Format = 'tar' | 'cast' | 'html' | 'txt'

const CONTENT_TYPES: Readonly<Record<ReplaySuffix, string>> = {
  '.cast.gz': 'application/x-asciicast',
  '.replay.gz': 'application/json',
  '.gz': 'application/octet-stream',
  '.statements.gz': 'application/jsonl',
  '.desktop.gz': 'application/jsonl',
}

/**
 * A recording as a file: to keep in the form that `?format=` names, and as the player reads it.
 * Each download is logged.
 */
export function registerReplayDownloads(kernel: Kernel, routes: ReplayRoutes): void {
  const { app } = kernel
  const { base, access, carriedBy, find, sessionOf } = routes
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${base}download/`,
    config: {
      access,
      summary: 'Session: download recording',
      carriedBy: ({ params }) => carriedBy((params as { id: string }).id),
    },
    // Each form holds what is packed already.
    compress: false,
    handler: async (request, reply) => {
      const { session, replay } = await find(request, request.params.id)
      const format = formatOf(request, replay)
      await noteDownload(kernel, request.call, session)
      return send(kernel, routes, { request, reply, session, replay }, format)
    },
  })
  app.route<{ Params: { day: string; file: string } }>({
    method: 'GET',
    url: '/media/replay/:day/:file',
    config: {
      access,
      summary: 'Session: recording file',
      answers: 'file',
      carriedBy: ({ params }) => carriedBy((params as { file: string }).file.slice(0, 36)),
    },
    handler: async (request, reply) => {
      const { day, file } = request.params
      const id = file.slice(0, 36)
      if (!isUuid(id)) throw notFound()
      const session = await sessionOf(request, id)
      const replay = await findReplay(kernel, session)
      // By the name we made, never by the one that was sent.
      if (!replay || replay.name !== `${day}/${file}`) throw notFound()
      await noteDownload(kernel, request.call, session)
      reply
        .headers({ 'Content-Encoding': 'gzip', 'Content-Length': replay.bytes, 'Cache-Control': 'private, no-store' })
        .type(CONTENT_TYPES[replay.suffix])
      return reply.send(openReplay(replay))
    },
  })
}

/**
 * The form that is asked for: by default the contract's tar, and of statements what people can read.
 * Throws 400 with messages by field, and for a form in which this recording does not come.
 */
function formatOf({ query }: FastifyRequest, { suffix }: ReplayFile): Format {
  const { format = suffix === STATEMENTS ? 'txt' : 'tar' } = query as { format?: unknown }
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format))
    throw invalid({ format: 'Must be tar, cast, html or txt.' })
  const only = FORMATS[format as Format]
  if (only && !only.includes(suffix))
    throw new AppError(400, 'replay_format', 'This kind of recording cannot be downloaded in this format.')
  return format as Format
}

interface Download {
  request: FastifyRequest
  reply: FastifyReply
  session: StoredSession
  replay: ReplayFile
}

async function send(
  kernel: Kernel,
  { jsonOf }: ReplayRoutes,
  { request, reply, session, replay }: Download,
  format: Format,
): Promise<FastifyReply> {
  const onError = (error: unknown) => request.log.error({ err: error }, 'replay download')
  const save = (type: string) =>
    reply.header('Content-Disposition', `attachment; filename*=UTF-8''${session.id}.${format}`).type(type)
  switch (format) {
    case 'cast':
      return save('application/x-asciicast').send(textOf(replay, onError))
    case 'html': {
      const page = await pageOf(kernel, replay, session, request.call)
      return save('text/html; charset=utf-8').send(page)
    }
    case 'txt': {
      const lines = linesOf(textOf(replay, onError))
      return save('text/plain; charset=utf-8').send(Readable.from(statementText(lines, request.call)))
    }
    case 'tar': {
      const json = await jsonOf(request, session)
      return save('application/octet-stream').send(tarOf(session.id, json, replay, onError))
    }
  }
}
