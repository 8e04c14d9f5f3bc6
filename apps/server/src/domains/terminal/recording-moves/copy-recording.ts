import { createReadStream } from 'node:fs'
import { isDamaged, unpacked } from '../recording/packed-file.ts'
import { sha256Of } from '../recording/pieces.ts'
import { replayName } from '../recording/replay-file.ts'
import type { RecordingStore } from '../recording/store/recording-store.ts'
import { filesBeside } from '../recording/stored-index.ts'
import { REPLAY_SUFFIXES } from '../replay-suffix.ts'
import type { MoveFault, terminalSession } from '../tables.ts'

export type MovedSession = Pick<
  typeof terminalSession.$inferSelect,
  'id' | 'date_start' | 'replay_sha256' | 'replay_storage' | 'terminal'
>

/** A recording stays where it is, for a reason of its own: others may be moved all the same. */
export class NotMoved extends Error {
  readonly fault: MoveFault
  constructor(fault: MoveFault, options?: ErrorOptions) {
    super(fault, options)
    this.fault = fault
  }
}

/** Waits so long after so many bytes that no more are moved in a second than allowed. */
export type Pace = (bytes: number) => Promise<void>

/**
 * Copies the files of a recording and reads them back; answers their bytes. What is there already, as
 * after a crash, is read back and not copied again. One file after the other, of which no more than a
 * few megabytes are in memory. Throws NotMoved, or what a store throws.
 */
export async function copyRecording(
  from: RecordingStore,
  to: RecordingStore,
  session: MovedSession,
  pace: Pace,
): Promise<number> {
  let bytes = 0
  const copy = async (name: string, plainSha256: string | null) => {
    const copied = await copyFile(from, to, name, plainSha256)
    bytes += copied
    await pace(copied)
  }
  for (const suffix of REPLAY_SUFFIXES) await copy(replayName(session, suffix), session.replay_sha256)
  // What lies beside a recording plays nothing without it.
  if (bytes === 0) throw new NotMoved('missing')
  for (const name of Object.values(filesBeside(replayName(session)))) await copy(name, null)
  return bytes
}

/** @param plainSha256 of the text in it as the session's row has it, which is chained; null where nobody knows */
async function copyFile(
  from: RecordingStore,
  to: RecordingStore,
  name: string,
  plainSha256: string | null,
): Promise<number> {
  const file = await from.find(name)
  if (!file) return 0
  await from.withLocalFile(name, async (path) => {
    const here = await sha256Of(createReadStream(path))
    if (plainSha256 !== null && (await plainSha256Of(path)) !== plainSha256) throw new NotMoved('altered')
    const there = await to.find(name)
    if (there?.bytes === file.bytes && (await sha256Of(to.open(name))) === here) return
    await to.take(name, path)
    if ((await sha256Of(to.open(name))) !== here) throw new NotMoved('differs')
  })
  return file.bytes
}

/** Checksum of a packed file's content; empty when it is damaged. */
async function plainSha256Of(path: string): Promise<string> {
  try {
    return await sha256Of(unpacked(createReadStream(path)))
  } catch (error) {
    if (isDamaged(error)) return ''
    throw error
  }
}
