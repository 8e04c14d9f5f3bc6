import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { pack } from 'tar-stream'
import type { Call } from '../../kernel/access/call.ts'
import { AppError, forbidden, invalid, notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { getStored, retrieveRow } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { requireOwn } from './own-terminal.ts'
import { castOf, formatOf, pageOf } from './recording/downloads.ts'
import { withRecordingLock } from './recording/recording-lock.ts'
import {
  findReplay,
  markReplay,
  type ReplayFile,
  type ReplaySuffix,
  recordingStore,
  replayName,
  replayPath,
  sealedReplay,
} from './recording/replay-file.ts'
import { registerReplayPieces } from './recording/routes.ts'
import { registerReplaySearch } from './recording/search-all.ts'
import { filesBeside } from './recording/stored-index.ts'
import type { StoredSession } from './session.ts'
import { byRecording } from './session-carrier.ts'
import type { terminalSession } from './tables.ts'

/** A day of a busy terminal is a few megabytes; a desktop's may be large. */
const MAX_REPLAY_BYTES = 2 * 1024 ** 3
const ACCESS = ['org_auditor', 'component'] as const
const ONE = '/api/v1/terminal/sessions/:id/replay/'

/**
 * Recordings: asked for, served, uploaded, downloaded; each time only to those who may see the
 * session (design §7).
 */
export function registerReplays(kernel: Kernel, sessions: MountedResource<typeof terminalSession>): void {
  const { app } = kernel
  const carriedBy = ({ params }: FastifyRequest) => byRecording(kernel, (params as { id: string }).id)
  const sessionOf = (context: ReadContext, id: string) => getStored(sessions, id, context)

  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: ONE,
    config: { access: ACCESS, summary: 'Session: its recording', carriedBy },
    handler: async (request) => {
      const session = await sessionOf(contextOf(kernel, request), request.params.id)
      return describeReplay(session, await replayOf(kernel, session, request.call.language))
    },
  })
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${ONE}download/`,
    config: { access: ACCESS, summary: 'Session: download recording', carriedBy },
    // Each form holds what is packed already.
    compress: false,
    handler: async (request, reply) => {
      const format = formatOf(request)
      const context = contextOf(kernel, request)
      const session = await sessionOf(context, request.params.id)
      const replay = await replayOf(kernel, session, request.call.language)
      const onError = (error: unknown) => request.log.error({ err: error }, 'replay download')
      await noteDownload(kernel, request.call, session)
      const save = (ending: string, type: string) =>
        reply.header('Content-Disposition', `attachment; filename*=UTF-8''${session.id}.${ending}`).type(type)
      if (format === 'cast') return save('cast', 'application/x-asciicast').send(castOf(replay, onError))
      if (format === 'html') {
        const page = await pageOf(kernel, replay, session, request.call)
        return save('html', 'text/html; charset=utf-8').send(page)
      }
      const json = JSON.stringify(await retrieveRow(sessions, session.id, { ...context, query: {} }))
      return save('tar', 'application/octet-stream').send(bundle(session.id, json, replay, onError))
    },
  })
  app.route<{ Params: { day: string; file: string } }>({
    method: 'GET',
    url: '/media/replay/:day/:file',
    config: {
      access: ACCESS,
      summary: 'Session: recording file',
      carriedBy: ({ params }) => byRecording(kernel, (params as { file: string }).file.slice(0, 36)),
    },
    handler: async (request, reply) => {
      const { day, file } = request.params
      const id = file.slice(0, 36)
      if (!isUuid(id)) throw notFound()
      const session = await sessionOf(contextOf(kernel, request), id)
      const replay = await findReplay(kernel, session)
      // By the name we made, never by the one that was sent.
      if (!replay || replay.name !== `${day}/${file}`) throw notFound()
      await noteDownload(kernel, request.call, session)
      reply
        .headers({ 'Content-Encoding': 'gzip', 'Content-Length': replay.bytes, 'Cache-Control': 'private, no-store' })
        .type(contentTypeOf(replay))
      return reply.send(openReplay(replay))
    },
  })
  registerReplaySearch(kernel)
  registerReplayPieces(kernel, {
    base: ONE,
    access: ACCESS,
    carriedBy,
    find: async (request, id) => {
      const session = await sessionOf(contextOf(kernel, request), id)
      return { session, replay: await replayOf(kernel, session, request.call.language) }
    },
  })
  // In a scope of its own, so that no other route takes multipart bodies.
  app.register(async (scope) => {
    await scope.register(multipart, { limits: { files: 1, fields: 10, fileSize: MAX_REPLAY_BYTES } })
    scope.route<{ Params: { id: string } }>({
      method: 'POST',
      url: ONE,
      bodyLimit: MAX_REPLAY_BYTES,
      config: { access: ['component'], summary: 'Session: upload recording' },
      handler: async (request, reply) => {
        const session = await sessionOf(contextOf(kernel, request), request.params.id)
        // A recording is evidence: only the gateway that made it sends it in.
        await requireOwn(kernel.db, request.call, [session])
        if (await sealedReplay(kernel, session.id)) throw sealed()
        if (!request.isMultipart()) throw invalid({ file: 'This field is required.' })
        const temporary = `${await replayPath(kernel, session)}.${crypto.randomUUID()}.part`
        try {
          const version = await receive(request.parts(), temporary)
          const suffix = version === 3 ? '.cast.gz' : '.replay.gz'
          await withRecordingLock(kernel.pool, session.id, () => takeUpload(kernel, session, temporary, suffix))
          return reply.status(201).send({ url: mediaUrl(replayName(session, suffix)) })
        } finally {
          await rm(temporary, { force: true })
        }
      },
    })
  })
}

/** Whoever takes a recording along is known afterwards. */
function noteDownload(kernel: Kernel, call: Call, { id, user, asset, org_id }: StoredSession): Promise<void> {
  return kernel.audit.record(kernel.db, call, [
    { action: 'download', resourceType: 'Replay', resource: `${user} ${asset} ${id}`, orgId: org_id },
  ])
}

/**
 * A recording is evidence: once there is one, no other takes its place (contract/terminal.yaml
 * session, replay upload).
 */
function sealed(): AppError {
  return forbidden('The recording of this session is sealed')
}

/** Throws 403 when another was quicker. */
async function takeUpload(
  kernel: Kernel,
  session: StoredSession,
  temporary: string,
  suffix: ReplaySuffix,
): Promise<void> {
  if (await sealedReplay(kernel, session.id)) throw sealed()
  // An index of what was here before must not speak for it.
  for (const beside of Object.values(filesBeside(replayName(session, suffix))))
    await recordingStore(kernel.config).remove(beside)
  await rename(temporary, await replayPath(kernel, session, suffix))
  await markReplay(kernel, session.id)
}

/** As many bytes as were announced, should it grow meanwhile. */
const openReplay = ({ store, name, bytes }: ReplayFile) => store.open(name, { from: 0, bytes })

const mediaUrl = (name: string) => `/media/replay/${name}`

/** Throws 404 in the shape that players expect. */
async function replayOf(kernel: Kernel, session: StoredSession, language: 'cn' | 'en'): Promise<ReplayFile> {
  const replay = session.has_replay ? await findReplay(kernel, session) : undefined
  if (replay) return replay
  throw new AppError(404, 'not_found', 'Not found.', {
    body: { error: translate(language, 'The recording of this session was not found.') },
  })
}

/** Dates are ISO 8601 here, unlike everywhere else (contract/terminal.yaml replay_files). */
function describeReplay(session: StoredSession, { name, suffix }: ReplayFile) {
  const graphical = session.protocol === 'rdp' || session.protocol === 'vnc'
  return {
    type: suffix === '.cast.gz' ? 'asciicast' : graphical ? 'guacamole' : 'json',
    src: mediaUrl(name),
    user: session.user,
    asset: session.asset,
    system_user: session.system_user,
    date_start: session.date_start.toISOString(),
    date_end: session.date_end?.toISOString() ?? null,
    download_url: `/api/v1/terminal/sessions/${session.id}/replay/download/`,
  }
}

function contentTypeOf({ suffix }: ReplayFile): string {
  return suffix === '.cast.gz'
    ? 'application/x-asciicast'
    : suffix === '.replay.gz'
      ? 'application/json'
      : 'application/octet-stream'
}

/** A tar of the recording and the session as JSON, for the offline player. */
function bundle(id: string, json: string, replay: ReplayFile, onError: (error: unknown) => void) {
  const tar = pack()
  const fill = async () => {
    await new Promise<void>((resolve, reject) =>
      tar.entry({ name: `${id}.json` }, json, (error) => (error ? reject(error) : resolve())),
    )
    const entry = tar.entry({ name: basename(replay.name), size: replay.bytes })
    await pipeline(openReplay(replay), entry)
    tar.finalize()
  }
  fill().catch((error) => {
    onError(error)
    tar.destroy(error as Error)
  })
  return tar
}

/**
 * Writes the uploaded file and answers the version that came with it (2 unless said). Throws
 * field-keyed 400s.
 */
async function receive(parts: AsyncIterable<import('@fastify/multipart').Multipart>, path: string): Promise<2 | 3> {
  let version: 2 | 3 = 2
  let received = false
  for await (const part of parts) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file') {
        part.file.resume()
        continue
      }
      await pipeline(part.file, createWriteStream(path, { mode: 0o600 }))
      if (part.file.truncated)
        throw new AppError(413, 'file_content_overflowed', 'The uploaded file is larger than the limit.')
      received = true
    } else if (part.fieldname === 'version' && part.value !== '') {
      if (part.value !== '2' && part.value !== '3') throw invalid({ version: 'Must be 2 or 3.' })
      version = part.value === '3' ? 3 : 2
    }
  }
  if (!received) throw invalid({ file: 'This field is required.' })
  return version
}
