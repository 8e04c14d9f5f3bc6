import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { and, eq, isNull } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { readIndex } from './recording/stored-index.ts'
import type { StoredSession } from './session.ts'
import { terminalSession } from './tables.ts'

/** Endings of recordings, in the order they are looked for: asciicast v2, the old JSON form, and the oldest; all gzip (contract/terminal.yaml replay_files). */
const REPLAY_SUFFIXES = ['.cast.gz', '.replay.gz', '.gz'] as const
export type ReplaySuffix = (typeof REPLAY_SUFFIXES)[number]

type SessionDate = Pick<StoredSession, 'id' | 'date_start'>

/** `2026-11-21/<id>.cast.gz`: the day is the session's first, in UTC. */
export function replayName({ id, date_start }: SessionDate, suffix: ReplaySuffix = '.cast.gz'): string {
  return `${date_start.toISOString().slice(0, 10)}/${id}${suffix}`
}

/** Where a session's recording is to be on this node. The folder is made. */
export async function replayPath(
  { config }: Pick<Kernel, 'config'>,
  session: SessionDate,
  suffix: ReplaySuffix = '.cast.gz',
): Promise<string> {
  const path = join(replayFolder(config), replayName(session, suffix))
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return path
}

export const replayFolder = ({ dataDirectory }: Pick<Kernel['config'], 'dataDirectory'>) => join(dataDirectory, 'replay')

export interface ReplayFile {
  path: string
  name: string
  suffix: ReplaySuffix
  bytes: number
}

/** The recording of a session, when this node has it. */
export async function findReplay({ config }: Pick<Kernel, 'config'>, session: SessionDate): Promise<ReplayFile | undefined> {
  for (const suffix of REPLAY_SUFFIXES) {
    const name = replayName(session, suffix)
    const path = join(replayFolder(config), name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile()) return { path, name, suffix, bytes: found.size }
  }
  return undefined
}

/**
 * Says that the recording is in its place, and remembers its fingerprint where nobody who can write files comes by. One that has no index yet is remembered
 * when it gets it.
 */
export async function markReplay(kernel: Pick<Kernel, 'db' | 'config'>, sessionId: string): Promise<void> {
  const { db } = kernel
  const ofSession = eq(terminalSession.id, sessionId)
  const [session] = await db
    .select({ id: terminalSession.id, date_start: terminalSession.date_start })
    .from(terminalSession)
    .where(ofSession)
  const replay = session && (await findReplay(kernel, session))
  const index = replay && (await readIndex(replay.path))
  await db
    .update(terminalSession)
    .set({ has_replay: true, replay_sha256: index?.sha256 ?? null })
    .where(ofSession)
}

/** Remembers the fingerprint of a recording that was not known before. */
export async function rememberSha256({ db }: Pick<Kernel, 'db'>, sessionId: string, sha256: string): Promise<void> {
  await db
    .update(terminalSession)
    .set({ replay_sha256: sha256 })
    .where(and(eq(terminalSession.id, sessionId), isNull(terminalSession.replay_sha256)))
}
