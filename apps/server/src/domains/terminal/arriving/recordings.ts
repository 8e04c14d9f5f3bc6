import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { joinParts, type RecordingPart } from '../recording/guacamole/join-parts.ts'
import { isDamaged, unpacked } from '../recording/packed-file.ts'
import { recordingStore, replayFolder, replayName, replayPath } from '../recording/replay-file.ts'
import type { ReplaySuffix } from '../replay-suffix.ts'

type WithStore = Pick<Kernel, 'config'>

/** A session that an import brought. */
export interface ArrivedSession {
  id: string
  date_start: Date
  has_replay: boolean
}

/** Which of these sessions an import has brought from that product. */
export async function arrivedSessions(
  db: Database,
  product: string,
  ids: readonly string[],
): Promise<Map<string, ArrivedSession>> {
  const { rows } = await db.execute<{ id: string; date_start: string; has_replay: boolean }>(sql`
    SELECT id::text AS id, date_start::text AS date_start, has_replay FROM terminal_session
    WHERE arrived_from = ${product} AND id = ANY (${sql.param([...ids])}::uuid[])`)
  return new Map(rows.map((row) => [row.id, { ...row, date_start: new Date(row.date_start) }]))
}

/** A recording elsewhere on this machine: one file, or the parts of one. */
export type ArrivingRecording = { path: string; suffix: ReplaySuffix } | { parts: readonly RecordingPart[] }

export interface Placing {
  isCopied: boolean
  /** Nothing is written: only what would be done is answered. */
  isTried: boolean
}

export interface Placed {
  suffix: ReplaySuffix
  /** The checksum of what is recorded; null of one that is only linked, or was cut off. */
  sha256: string | null
}

/**
 * Places a recording where that of the session is looked for, and answers what it is. A file that is not
 * copied is linked: it stays where it lies, and nobody here writes to it or removes it. A store outside
 * has copies, and so have recordings in parts, which are joined. Answers undefined where it is here.
 * @throws UnjoinableParts, and what the file system throws
 */
export async function placeRecording(
  { config }: WithStore,
  session: ArrivedSession,
  recording: ArrivingRecording,
  { isCopied, isTried }: Placing,
): Promise<Placed | undefined> {
  const store = recordingStore(config)
  if ('parts' in recording) {
    if (session.has_replay) return undefined
    return isTried ? { suffix: '.replay.gz', sha256: null } : placeParts({ config }, session, recording.parts)
  }
  const name = replayName(session, recording.suffix)
  const isLinked = store.ofThisNode && (await isLink(join(replayFolder(config), name)))
  // Linked ones are copied later; one that was played has been packed again, and is a copy.
  if (session.has_replay && !(isCopied && isLinked)) return undefined
  const { suffix, path } = recording
  if (isTried) return { suffix, sha256: null }
  if (isCopied || !store.ofThisNode) {
    await store.take(name, path)
    return { suffix, sha256: await sha256Of(path) }
  }
  await linkTo(path, await store.draft(name))
  return { suffix, sha256: null }
}

async function placeParts(
  { config }: WithStore,
  session: ArrivedSession,
  parts: readonly RecordingPart[],
): Promise<Placed> {
  const made = `${await replayPath({ config }, session, '.replay.gz')}.${randomUUID()}.part`
  try {
    const suffix = (await joinParts(parts, made)) === 'guacamole' ? '.replay.gz' : '.cast.gz'
    await recordingStore(config).take(replayName(session, suffix), made)
    return { suffix, sha256: await sha256Of(made) }
  } finally {
    await rm(made, { force: true })
  }
}

async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of unpacked(createReadStream(path))) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } catch (error) {
    if (isDamaged(error)) return null
    throw error
  }
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true

async function linkTo(path: string, place: string): Promise<void> {
  const temporary = `${place}.${randomUUID()}.part`
  await symlink(path, temporary)
  await rename(temporary, place)
}

/** Records that these sessions have recordings, and their checksums where they are known. */
export async function markArrivedRecordings(db: Database, placed: readonly (Placed & { id: string })[]): Promise<void> {
  if (!placed.length) return
  await db.execute(sql`
    UPDATE terminal_session s
    SET has_replay = true, replay_suffix = p.suffix, replay_sha256 = coalesce(s.replay_sha256, p.sha256)
    FROM json_to_recordset(${JSON.stringify(placed)}) AS p (id uuid, suffix text, sha256 text)
    WHERE s.id = p.id`)
}
