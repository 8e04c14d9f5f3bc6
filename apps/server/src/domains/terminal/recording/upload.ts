import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import multipart, { type Multipart } from '@fastify/multipart'
import { AppError, forbidden, invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { requireOwn } from '../evidence/own-terminal.ts'
import type { ReplaySuffix } from '../replay-suffix.ts'
import type { StoredSession } from '../session.resource.ts'
import { withRecordingLock } from './recording-lock.ts'
import { markReplay, mediaUrl, recordingStore, replayName, replayPath, sealedReplay } from './replay-file.ts'
import type { ReplayRoutes } from './routes.ts'
import { filesBeside } from './stored-index.ts'

/** A day of a busy terminal is a few megabytes; a desktop's may be large. */
const MAX_REPLAY_BYTES = 2 * 1024 ** 3

/** Recordings that components send in of sessions that they carry. */
export function registerReplayUpload(kernel: Kernel, { base, sessionOf }: ReplayRoutes): void {
  // In a scope of its own, so that no other route takes multipart bodies.
  kernel.app.register(async (scope) => {
    await scope.register(multipart, { limits: { files: 1, fields: 10, fileSize: MAX_REPLAY_BYTES } })
    scope.route<{ Params: { id: string } }>({
      method: 'POST',
      url: base,
      bodyLimit: MAX_REPLAY_BYTES,
      config: { access: ['component'], summary: 'Session: upload recording', answerStatus: 201 },
      handler: async (request, reply) => {
        const session = await sessionOf(request, request.params.id)
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

/**
 * A recording is evidence: once there is one, no other takes its place
 * (docs/rules/terminal.md#replay_files).
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

/**
 * Writes the uploaded file and answers the version that came with it (2 unless said). Throws
 * field-keyed 400s.
 */
async function receive(parts: AsyncIterable<Multipart>, path: string): Promise<2 | 3> {
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
