import type { ReplayIntegrity } from '@sallyport/contract/replay.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Carrier } from '../../../kernel/nodes/carried-elsewhere.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { DESKTOP } from '../replay-suffix.ts'
import { replayReaders } from '../replay-takers.ts'
import type { StoredSession } from '../session.resource.ts'
import { searchMarks } from './desktop/mark-search.ts'
import { indexOf, readyIndexOf } from './indexing.ts'
import { isIntact, readPiece, readScreen } from './pieces.ts'
import { type ReplayFile, rememberSha256 } from './replay-file.ts'
import { sumOf } from './store/sum-of.ts'
import { describeIndex, type StoredIndex, type StoredPart } from './stored-index.ts'
import { searchInThread } from './threads.ts'
import { wantedText } from './wanted-text.ts'

/** The common part of the routes of one recording. */
export interface ReplayRoutes {
  /** Address of the recording, ending in a slash. */
  base: string
  access: readonly ('org_auditor' | 'component')[]
  /** The node that can read the recording of that session, when it is another. */
  carriedBy: (sessionId: string) => Promise<Carrier | undefined>
  /** The session, when the caller may see it. Throws 404. */
  sessionOf: (request: FastifyRequest, id: string) => Promise<StoredSession>
  /** The session and its recording, when the caller may see it. Throws 404. */
  find: (request: FastifyRequest, id: string) => Promise<{ session: StoredSession; replay: ReplayFile }>
  /** The session as it is answered, as JSON. */
  jsonOf: (request: FastifyRequest, session: StoredSession) => Promise<string>
}

/**
 * The player's routes to open a recording of any length at once: its index, its pieces, the screen
 * at the beginning of each, and the places of a text.
 */
export function registerReplayPieces(kernel: Kernel, { base, access, carriedBy: carrier, find }: ReplayRoutes): void {
  const { app } = kernel
  const carriedBy = ({ params }: FastifyRequest) => carrier((params as { id: string }).id)
  const noteReading = replayReaders(kernel)
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${base}index/`,
    config: {
      access,
      carriedBy,
      summary: 'Session: index of its recording',
      answers: {
        fields: plainFields({
          start: 'float',
          duration: 'float',
          cols: 'integer',
          rows: 'integer',
          bytes: 'integer',
          sha256: 'string',
          parts: 'list',
          marks: 'list',
          origin: 'integer',
          status: 'string',
        }),
      },
    },
    handler: async (request, reply) => {
      const { session, replay } = await find(request, request.params.id)
      const index = await indexOf(replay)
      reply.header('Cache-Control', 'private, no-store')
      if (typeof index === 'string') return reply.status(index === 'running' ? 202 : 200).send({ status: index })
      if (session.replay_sha256 === null) await rememberSha256(kernel, session.id, index.sha256)
      return describeIndex(index)
    },
  })

  type Piece = { Params: { id: string; n: string } }
  const piece = async (
    request: FastifyRequest,
    { id, n }: Piece['Params'],
  ): Promise<[replay: ReplayFile, part: StoredPart]> => {
    const { session, replay } = await find(request, id)
    const part = partOf(await readyIndexOf(replay), n)
    await noteReading(request.call, session)
    return [replay, part]
  }
  app.route<Piece>({
    method: 'GET',
    url: `${base}part/:n/`,
    config: { access, carriedBy, summary: 'Session: one piece of its recording', answers: 'file' },
    handler: async (request, reply) =>
      sendGzip(reply, 'application/x-asciicast', await readPiece(...(await piece(request, request.params)))),
  })
  app.route<Piece>({
    method: 'GET',
    url: `${base}screen/:n/`,
    config: {
      access,
      carriedBy,
      summary: 'Session: screen at the beginning of a piece of its recording',
      answers: 'file',
    },
    handler: async (request, reply) =>
      sendGzip(reply, 'text/plain; charset=utf-8', await readScreen(...(await piece(request, request.params)))),
  })
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${base}integrity/`,
    config: {
      access,
      carriedBy,
      summary: 'Session: whether its recording is whole and unaltered',
      answers: { fields: plainFields({ intact: 'boolean' }) },
    },
    handler: async (request): Promise<ReplayIntegrity> => {
      const { session, replay } = await find(request, request.params.id)
      const [index, known] = [await indexOf(replay), session.replay_sha256]
      if (index === 'running' || (typeof index === 'string' && known === null)) return { intact: true }
      // One of a kind that has no index, such as the old JSON that an import brought.
      if (typeof index === 'string')
        return { intact: (await replay.store.withLocalFile(replay.name, (path) => sumOf(path))) === known }
      return { intact: await isIntact(replay, index, known) }
    },
  })
  app.route<{ Params: { id: string }; Querystring: { q?: unknown } }>({
    method: 'GET',
    url: `${base}search/`,
    config: {
      access,
      carriedBy,
      summary: 'Session: where a text stood on the screen',
      answers: { fields: plainFields({ hits: 'list', more: 'boolean', damaged: 'boolean' }) },
    },
    handler: async (request) => {
      const wanted = wantedText(request.query.q)
      const { replay } = await find(request, request.params.id)
      if (replay.suffix === DESKTOP) return searchMarks((await readyIndexOf(replay)).marks ?? [], wanted)
      if (replay.suffix !== '.cast.gz')
        throw new AppError(400, 'replay_not_searchable', 'This kind of recording cannot be searched.')
      return replay.store.withLocalFile(replay.name, (path) => searchInThread(path, wanted))
    },
  })
}

function partOf(index: StoredIndex, n: string): StoredPart {
  const part = /^\d{1,9}$/.test(n) ? index.parts[Number(n)] : undefined
  if (!part) throw notFound()
  return part
}

/**
 * Sends what is packed already; every client of recordings unpacks
 * (docs/rules/terminal.md#replay_files).
 */
function sendGzip(reply: FastifyReply, type: string, bytes: Buffer): FastifyReply {
  return reply.headers({ 'Content-Encoding': 'gzip', 'Cache-Control': 'private, no-store' }).type(type).send(bytes)
}
