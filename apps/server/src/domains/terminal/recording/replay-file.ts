import { join } from 'node:path'
import { and, eq, isNull } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StoredSession } from '../session.ts'
import { terminalSession } from '../tables.ts'
import { createLocalStore } from './store/local-store.ts'
import type { InStore, RecordingStore, StoredFile } from './store/recording-store.ts'
import { filesBeside, readIndex } from './stored-index.ts'

/**
 * Endings of recordings, in the order they are looked for: asciicast v2, the old JSON form, and the
 * oldest; all gzip (contract/terminal.yaml replay_files).
 */
const REPLAY_SUFFIXES = ['.cast.gz', '.replay.gz', '.gz'] as const
export type ReplaySuffix = (typeof REPLAY_SUFFIXES)[number]

type SessionDate = Pick<StoredSession, 'id' | 'date_start'>

/** `2026-11-21/<id>.cast.gz`: the day is the session's first, in UTC. */
export function replayName({ id, date_start }: SessionDate, suffix: ReplaySuffix = '.cast.gz'): string {
  return `${date_start.toISOString().slice(0, 10)}/${id}${suffix}`
}

/** Where a session's recording is made on this node, until `markReplay`. */
export function replayPath(
  { config }: Pick<Kernel, 'config'>,
  session: SessionDate,
  suffix: ReplaySuffix = '.cast.gz',
): Promise<string> {
  return recordingStore(config).draft(replayName(session, suffix))
}

/** Where all recordings are kept. */
export function recordingStore(config: Pick<Kernel['config'], 'dataDirectory'>): RecordingStore {
  return createLocalStore(replayFolder(config))
}

/** Where this node makes recordings. */
export const replayFolder = ({ dataDirectory }: Pick<Kernel['config'], 'dataDirectory'>) =>
  join(dataDirectory, 'replay')

export interface ReplayFile extends StoredFile, InStore {
  suffix: ReplaySuffix
}

/** The recording of a session, when there is one. */
export async function findReplay(
  { config }: Pick<Kernel, 'config'>,
  session: SessionDate,
): Promise<ReplayFile | undefined> {
  const store = recordingStore(config)
  for (const suffix of REPLAY_SUFFIXES) {
    const found = await store.find(replayName(session, suffix))
    if (found) return { ...found, store, suffix }
  }
  return undefined
}

/**
 * Takes the recording that was made into the store, says so, and remembers its fingerprint where
 * nobody who can write files comes by. One that has no index yet is remembered when it gets it.
 */
export async function markReplay(kernel: Pick<Kernel, 'db' | 'config'>, sessionId: string): Promise<void> {
  const { db } = kernel
  const ofSession = eq(terminalSession.id, sessionId)
  const [session] = await db
    .select({ id: terminalSession.id, date_start: terminalSession.date_start })
    .from(terminalSession)
    .where(ofSession)
  if (session) await keepReplay(recordingStore(kernel.config), session)
  const replay = session && (await findReplay(kernel, session))
  const index = replay && (await readIndex(replay))
  await db
    .update(terminalSession)
    .set({ has_replay: true, replay_sha256: index?.sha256 ?? null })
    .where(ofSession)
}

/** The index last: it vouches for the others. */
async function keepReplay(store: RecordingStore, session: SessionDate): Promise<void> {
  for (const suffix of REPLAY_SUFFIXES) await store.keep(replayName(session, suffix))
  const { screens, index } = filesBeside(replayName(session))
  for (const name of [screens, index]) await store.keep(name)
}

/** Remembers the fingerprint of a recording that was not known before. */
export async function rememberSha256({ db }: Pick<Kernel, 'db'>, sessionId: string, sha256: string): Promise<void> {
  await db
    .update(terminalSession)
    .set({ replay_sha256: sha256 })
    .where(and(eq(terminalSession.id, sessionId), isNull(terminalSession.replay_sha256)))
}
