import { join } from 'node:path'
import { and, eq, isNull } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { REPLAY_SUFFIXES, type ReplaySuffix } from '../replay-suffix.ts'
import type { StoredSession } from '../session.ts'
import { terminalSession } from '../tables.ts'
import { createLocalStore } from './store/local-store.ts'
import { type InStore, type RecordingStore, type StoredFile, StoreRefusal } from './store/recording-store.ts'
import { createS3Store } from './store/s3-store.ts'
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
  const { recordings, recordingsEndpoint, recordingsRegion: region } = config
  if (!recordings) return createLocalStore(replayFolder(config))
  return createS3Store({
    place: {
      ...recordings,
      region,
      endpoint: recordingsEndpoint ?? `https://s3.${region}.amazonaws.com`,
      accessKey: config.recordingsAccessKey ?? '',
      secretKey: config.recordingsSecretKey ?? '',
    },
    drafts: replayFolder(config),
    copies: join(config.dataDirectory, 'replay-copies'),
  })
}

/**
 * Checks at start whether recordings can be stored. Throws StoreRefusal for wrong settings. A store
 * that cannot be reached is logged: recordings wait on this node's disk.
 */
export async function checkRecordingStore({ app, config }: Pick<Kernel, 'app' | 'config'>): Promise<void> {
  try {
    await recordingStore(config).check()
  } catch (error) {
    if (error instanceof StoreRefusal) throw error
    app.log.error({ err: error }, 'the store of recordings cannot be reached, they are kept on this node until it can')
  }
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
 * Moves a recording from its draft into the store and, once it can be read there, records that in the
 * session's row with its fingerprint, out of reach of those who can write files. One without an index
 * gets its fingerprint with the index.
 */
export async function markReplay(kernel: Pick<Kernel, 'db' | 'config'>, sessionId: string): Promise<void> {
  const session = await sessionOf(kernel, sessionId)
  if (!session) return
  await keepReplay(recordingStore(kernel.config), session)
  const replay = await findReplay(kernel, session)
  if (!replay) return
  const index = await readIndex(replay)
  await kernel.db
    .update(terminalSession)
    .set({ has_replay: true, replay_suffix: replay.suffix, replay_sha256: index?.sha256 ?? null })
    .where(eq(terminalSession.id, sessionId))
}

/** The session's recording, if its row and the store have one: it is never replaced. */
export async function sealedReplay(
  kernel: Pick<Kernel, 'db' | 'config'>,
  sessionId: string,
): Promise<ReplayFile | undefined> {
  const session = await sessionOf(kernel, sessionId)
  return session?.has_replay ? findReplay(kernel, session) : undefined
}

async function sessionOf({ db }: Pick<Kernel, 'db'>, sessionId: string) {
  const { id, date_start, has_replay } = terminalSession
  const [session] = await db.select({ id, date_start, has_replay }).from(terminalSession).where(eq(id, sessionId))
  return session
}

/** The index last, as it vouches for the other files. */
async function keepReplay(store: RecordingStore, session: SessionDate): Promise<void> {
  for (const suffix of REPLAY_SUFFIXES) await store.keep(replayName(session, suffix))
  const { screens, index } = filesBeside(replayName(session))
  for (const name of [screens, index]) await store.keep(name)
}

/** Records the fingerprint of a recording unless one is recorded already. */
export async function rememberSha256({ db }: Pick<Kernel, 'db'>, sessionId: string, sha256: string): Promise<void> {
  await db
    .update(terminalSession)
    .set({ replay_sha256: sha256 })
    .where(and(eq(terminalSession.id, sessionId), isNull(terminalSession.replay_sha256)))
}
