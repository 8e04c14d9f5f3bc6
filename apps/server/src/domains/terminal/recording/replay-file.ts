import { join } from 'node:path'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Queryable } from '../../../kernel/secrets/sealed-places.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { chainAmendedSessions } from '../../audits/index.ts'
import { REPLAY_SUFFIXES, type ReplaySuffix } from '../replay-suffix.ts'
import type { StoredSession } from '../session.resource.ts'
import { terminalSession } from '../tables.ts'
import { isOutside, outsideStore, type StorageKernel, storageOfTerminal } from './storages/outside-stores.ts'
import { createBucketStore } from './store/bucket-store.ts'
import { createLocalStore } from './store/local-store.ts'
import { type InStore, type RecordingStore, type StoredFile, StoreRefusal } from './store/recording-store.ts'
import { S3Bucket } from './store/s3-bucket.ts'
import { filesBeside, readIndex } from './stored-index.ts'

type SessionDate = Pick<StoredSession, 'id' | 'date_start'>

/** `2026-11-21/<id>.cast.gz`: the day is the session's first, in UTC. */
export function replayName({ id, date_start }: SessionDate, suffix: ReplaySuffix = '.cast.gz'): string {
  return `${date_start.toISOString().slice(0, 10)}/${id}${suffix}`
}

/** Where the player fetches the file of that name. */
export const mediaUrl = (name: string) => `/media/replay/${name}`

/** Where a session's recording is made on this node, until `markReplay`. */
export function replayPath(
  { config }: Pick<Kernel, 'config'>,
  session: SessionDate,
  suffix: ReplaySuffix = '.cast.gz',
): Promise<string> {
  return recordingStore(config).draft(replayName(session, suffix))
}

const stores = new WeakMap<Kernel['config'], RecordingStore>()

/** The store of recordings: one for each configuration, as it holds connections. */
export function recordingStore(config: Kernel['config']): RecordingStore {
  const known = stores.get(config)
  if (known) return known
  const store = openStore(config)
  stores.set(config, store)
  return store
}

function openStore(config: Kernel['config']): RecordingStore {
  const { recordings, recordingsRegion: region } = config
  if (!recordings) return createLocalStore(replayFolder(config))
  const bucket = new S3Bucket({
    ...recordings,
    region,
    endpoint: endpointOf(config),
    accessKey: config.recordingsAccessKey ?? '',
    secretKey: config.recordingsSecretKey ?? '',
  })
  return createBucketStore({
    bucket,
    drafts: replayFolder(config),
    copies: join(config.dataDirectory, 'replay-copies'),
  })
}

const endpointOf = ({ recordingsEndpoint, recordingsRegion }: Kernel['config']) =>
  recordingsEndpoint ?? `https://s3.${recordingsRegion}.amazonaws.com`

/**
 * Checks at start whether recordings can be stored. Throws StartRefusal for wrong settings. A store
 * that cannot be reached is logged: recordings wait on this node's disk.
 */
export async function checkRecordingStore({ app, config }: Pick<Kernel, 'app' | 'config'>): Promise<void> {
  try {
    await recordingStore(config).check()
  } catch (error) {
    const wrong = error instanceof StoreRefusal && settingAtFault(error, config)
    if (wrong) throw new StartRefusal(wrong)
    app.log.error({ err: error }, 'the store of recordings cannot be used, they are kept on this node until it can')
  }
}

/**
 * The wrong setting, in words for the administrator who starts Sallyport; undefined where none is:
 * a clock can be set, and a fault of the store passes.
 */
function settingAtFault({ fault, message: answer }: StoreRefusal, config: Kernel['config']): string | undefined {
  const endpoint = endpointOf(config)
  const bucket = config.recordings?.bucket
  switch (fault) {
    case 'no_bucket':
      return `SALLYPORT_RECORDINGS: ${endpoint} has no bucket ${bucket}`
    case 'denied':
      return `SALLYPORT_RECORDINGS: SALLYPORT_RECORDINGS_ACCESS_KEY and SALLYPORT_RECORDINGS_SECRET_KEY may not list, read, write and delete in the bucket ${bucket} (${endpoint} answers ${answer})`
    case 'clock':
    case 'failing':
      return undefined
    case 'unusable':
      return `SALLYPORT_RECORDINGS: the bucket ${bucket} cannot be used with SALLYPORT_RECORDINGS_REGION ${config.recordingsRegion} (${endpoint} answers ${answer})`
  }
}

/** How many recordings are in storages of the console (recording/storages/). */
export async function recordingsOutside(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM terminal_session WHERE replay_storage IS NOT NULL',
  )
  return rows[0]?.count ?? 0
}

/** The checksum of a session's recording; undefined where none is known. */
export async function recordedSha256(db: Queryable, sessionId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ replay_sha256: string | null }>(
    'SELECT replay_sha256 FROM terminal_session WHERE id::text = $1',
    [sessionId],
  )
  return rows[0]?.replay_sha256 ?? undefined
}

/** Where this node makes recordings. */
export const replayFolder = ({ dataDirectory }: Pick<Kernel['config'], 'dataDirectory'>) =>
  join(dataDirectory, 'replay')

export interface ReplayFile extends StoredFile, InStore {
  suffix: ReplaySuffix
}

/** The recording of a session, when there is one, wherever it is: the row says where, and what it is. */
export async function findReplay(
  kernel: StorageKernel,
  session: SessionDate & Pick<StoredSession, 'replay_storage' | 'replay_suffix'>,
): Promise<ReplayFile | undefined> {
  const { replay_storage } = session
  const store = replay_storage ? await outsideStore(kernel, replay_storage) : recordingStore(kernel.config)
  return store && findIn(store, session)
}

async function findIn(
  store: RecordingStore,
  session: SessionDate & Partial<Pick<StoredSession, 'replay_suffix'>>,
): Promise<ReplayFile | undefined> {
  const { replay_suffix: known } = session
  // The others of a row that nobody has looked at, or that is wrong.
  const suffixes = known ? [known, ...REPLAY_SUFFIXES.filter((suffix) => suffix !== known)] : REPLAY_SUFFIXES
  for (const suffix of suffixes) {
    const found = await store.find(replayName(session, suffix))
    if (found) return { ...found, store, suffix }
  }
  return undefined
}

/**
 * Moves a recording from its draft into the store and, once it can be read there, records that in the
 * session's row with its fingerprint, out of reach of those who can write files. One without an index
 * gets its fingerprint with the index. A fingerprint that is recorded stays, but where the recording
 * `replaces` one that it begins with. Where the terminal's storage is outside, it is due there from
 * now on; where it keeps none, the recording is removed.
 */
export async function markReplay(
  kernel: Pick<Kernel, 'db' | 'config' | 'secrets'>,
  sessionId: string,
  { replaces = false }: { replaces?: boolean } = {},
): Promise<void> {
  const session = await sessionOf(kernel, sessionId)
  if (!session) return
  const store = recordingStore(kernel.config)
  const storage = session.terminal ? await storageOfTerminal(kernel, session.terminal) : undefined
  await keepReplay(store, session)
  if (storage?.type === 'null') return removeReplay(store, session)
  const replay = await findIn(store, { ...session, replay_suffix: null })
  if (!replay) return
  const index = await readIndex(replay)
  const sha256 = index?.sha256 ?? null
  const mark = (db: Database) =>
    db
      .update(terminalSession)
      .set({
        has_replay: true,
        replay_suffix: replay.suffix,
        replay_sha256: replaces ? sha256 : sql`coalesce(${terminalSession.replay_sha256}, ${sha256})`,
        replay_storage: null,
        replay_due: storage && isOutside(storage) ? storage.id : null,
      })
      .where(eq(terminalSession.id, sessionId))
  if (!replaces) return void (await mark(kernel.db))
  await kernel.db.transaction(async (tx) => {
    await mark(tx)
    await chainAmendedSessions(kernel, tx, [sessionId])
  })
}

/** The session's recording, if its row and the store have one: it is never replaced. */
export async function sealedReplay(kernel: StorageKernel, sessionId: string): Promise<ReplayFile | undefined> {
  const session = await sessionOf(kernel, sessionId)
  return session?.has_replay ? findReplay(kernel, session) : undefined
}

async function sessionOf({ db }: Pick<Kernel, 'db'>, sessionId: string) {
  const { id, date_start, has_replay, replay_storage, replay_suffix, terminal } = terminalSession
  const [session] = await db
    .select({ id, date_start, has_replay, replay_storage, replay_suffix, terminal })
    .from(terminalSession)
    .where(eq(id, sessionId))
  return session
}

async function keepReplay(store: RecordingStore, session: SessionDate): Promise<void> {
  for (const name of replayNames(session)) await store.keep(name)
}

/** Removes all files of a recording from a store. */
export async function removeReplay(store: RecordingStore, session: SessionDate): Promise<void> {
  for (const name of replayNames(session)) await store.remove(name)
}

/** The files that a recording may have; the index last, as it vouches for the others. */
export function replayNames(session: SessionDate): string[] {
  const { screens, index } = filesBeside(replayName(session))
  return [...REPLAY_SUFFIXES.map((suffix) => replayName(session, suffix)), screens, index]
}

/** Records the fingerprint of a recording unless one is recorded already. */
export async function rememberSha256({ db }: Pick<Kernel, 'db'>, sessionId: string, sha256: string): Promise<void> {
  await db
    .update(terminalSession)
    .set({ replay_sha256: sha256 })
    .where(and(eq(terminalSession.id, sessionId), isNull(terminalSession.replay_sha256)))
}
