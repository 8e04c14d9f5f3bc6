import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, lutimes, rename, rm, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { joinParts, type RecordingPart } from '../recording/guacamole/join-parts.ts'
import { recordingStore, replayFolder, replayName, replayPath } from '../recording/replay-file.ts'
import { readNoFollow, refuseLinks } from '../recording/store/no-follow.ts'
import { sumOf } from '../recording/store/sum-of.ts'
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

/** A recording in its place. */
export interface PlacedRecording {
  suffix: ReplaySuffix
  /** SHA-256 of its text. Undefined where it is damaged or too large, or nothing was written. */
  sha256?: string | undefined
}

/**
 * Places a recording where that of the session is looked for. A file that is not copied is linked: it
 * stays where it lies, and nobody here writes to it or removes it. A store outside has copies, and so
 * have recordings in parts, which are joined. Links are never followed. Answers undefined where it is here.
 * @throws UnjoinableParts, LineTooLong, and what the file system throws
 */
export async function placeRecording(
  { config }: WithStore,
  session: ArrivedSession,
  recording: ArrivingRecording,
  { isCopied, isTried }: Placing,
): Promise<PlacedRecording | undefined> {
  const store = recordingStore(config)
  if ('parts' in recording) {
    const { parts } = recording
    if (session.has_replay) return undefined
    if (isTried) return { suffix: '.replay.gz' }
    return placeMade({ config }, session, async (made) =>
      (await joinParts(parts, made)) === 'guacamole' ? '.replay.gz' : '.cast.gz',
    )
  }
  const { path, suffix } = recording
  const name = replayName(session, suffix)
  const isLinked = store.ofThisNode && (await isLink(join(replayFolder(config), name)))
  // Linked ones are copied later; one that was played has been packed again, and is a copy.
  if (session.has_replay && !(isCopied && isLinked)) return undefined
  if (isTried) return { suffix }
  if (!isCopied && store.ofThisNode) {
    await refuseLinks(path)
    const sha256 = await sumOf(path)
    await linkTo(path, await store.draft(name), session.date_start)
    return { suffix, sha256 }
  }
  return placeMade({ config }, session, async (made) => {
    await pipeline(readNoFollow(path), createWriteStream(made, { flags: 'wx', mode: 0o600 }))
    return suffix
  })
}

/** Keeps what `make` has written to a path. It is as old as its session, so that it is not kept for longer. */
async function placeMade(
  { config }: WithStore,
  session: ArrivedSession,
  make: (path: string) => Promise<ReplaySuffix>,
): Promise<PlacedRecording> {
  const store = recordingStore(config)
  const made = `${await replayPath({ config }, session, '.replay.gz')}.${randomUUID()}.part`
  try {
    const suffix = await make(made)
    const sha256 = await sumOf(made)
    await utimes(made, session.date_start, session.date_start)
    const name = replayName(session, suffix)
    await rename(made, await store.draft(name))
    await store.keep(name)
    return { suffix, sha256 }
  } finally {
    await rm(made, { force: true })
  }
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true

async function linkTo(path: string, place: string, date: Date): Promise<void> {
  const temporary = `${place}.${randomUUID()}.part`
  await symlink(path, temporary)
  await lutimes(temporary, date, date)
  await rename(temporary, place)
}

/** Records that these sessions have recordings, and their checksums, which are chained with them. */
export async function markArrivedRecordings(
  db: Database,
  placed: readonly ({ id: string } & PlacedRecording)[],
): Promise<void> {
  if (!placed.length) return
  await db.execute(sql`
    UPDATE terminal_session s SET has_replay = true, replay_suffix = p.suffix,
      replay_sha256 = coalesce(s.replay_sha256, p.sha256)
    FROM json_to_recordset(${JSON.stringify(placed)}) AS p (id uuid, suffix text, sha256 text)
    WHERE s.id = p.id`)
}
