import { AppError } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored, retrieveRow } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { registerReplayDownloads } from './recording/downloads/routes.ts'
import { olderKind } from './recording/older-kind.ts'
import { findReplay, mediaUrl, type ReplayFile } from './recording/replay-file.ts'
import { type ReplayRoutes, registerReplayPieces } from './recording/routes.ts'
import { registerReplaySearch } from './recording/search-all.ts'
import { registerReplayUpload } from './recording/upload.ts'
import { DESKTOP, type ReplaySuffix, STATEMENTS } from './replay-suffix.ts'
import type { StoredSession } from './session.resource.ts'
import { byRecording } from './session-carrier.ts'
import type { terminalSession } from './tables.ts'

/**
 * Recordings: asked for, played, searched, downloaded, uploaded; each time only to those who may see
 * the session (design §7).
 */
export function registerReplays(kernel: Kernel, sessions: MountedResource<typeof terminalSession>): void {
  const routes: ReplayRoutes = {
    base: '/api/v1/terminal/sessions/:id/replay/',
    access: ['org_auditor', 'component'],
    carriedBy: (sessionId) => byRecording(kernel, sessionId),
    sessionOf: (request, id) => getStored(sessions, id, contextOf(kernel, request)),
    async find(request, id) {
      const session = await routes.sessionOf(request, id)
      return { session, replay: await replayOf(kernel, session, request.call.language) }
    },
    jsonOf: async (request, { id }) =>
      JSON.stringify(await retrieveRow(sessions, id, { ...contextOf(kernel, request), query: {} })),
  }
  const { base, access, carriedBy, find } = routes
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: base,
    config: {
      access,
      summary: 'Session: its recording',
      carriedBy: ({ params }) => carriedBy((params as { id: string }).id),
    },
    handler: async (request) => {
      const { session, replay } = await find(request, request.params.id)
      return describeReplay(session, replay)
    },
  })
  registerReplayDownloads(kernel, routes)
  registerReplaySearch(kernel)
  registerReplayPieces(kernel, routes)
  registerReplayUpload(kernel, routes)
}

/** Throws 404 in the shape that players expect. */
async function replayOf(kernel: Kernel, session: StoredSession, language: 'cn' | 'en'): Promise<ReplayFile> {
  const replay = session.has_replay ? await findReplay(kernel, session) : undefined
  if (replay) return replay
  throw new AppError(404, 'not_found', 'Not found.', {
    body: { error: translate(language, 'The recording of this session was not found.') },
  })
}

/** Media types of recordings whose ending decides them. */
const TYPES: Readonly<Partial<Record<ReplaySuffix, string>>> = {
  '.cast.gz': 'asciicast',
  [STATEMENTS]: 'statements',
  [DESKTOP]: 'desktop',
}

/** Dates are ISO 8601 here, unlike everywhere else (docs/rules/terminal.md#replay_files). */
async function describeReplay(session: StoredSession, replay: ReplayFile) {
  const { name, suffix } = replay
  const graphical = session.protocol === 'rdp' || session.protocol === 'vnc'
  return {
    type: TYPES[suffix] ?? (await olderKind(replay)) ?? (graphical ? 'guacamole' : 'json'),
    src: mediaUrl(name),
    user: session.user,
    asset: session.asset,
    system_user: session.system_user,
    date_start: session.date_start.toISOString(),
    date_end: session.date_end?.toISOString() ?? null,
    download_url: `/api/v1/terminal/sessions/${session.id}/replay/download/`,
  }
}
