import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import {
  type ArrivedSession,
  arrivedSessions,
  markArrivedRecordings,
  type PlacedRecording,
  placeRecording,
} from '../../../domains/terminal/arriving/index.ts'
import { isDamaged, LineTooLong, UnjoinableParts } from '../../../domains/terminal/recording/index.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import type { ImportContext } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import { inChunk, PRODUCT } from './history.ts'
import { type FoundRecording, findRecordings, type MediaFault } from './media.ts'

const AT_ONCE = 50
const DAY_MS = 86_400_000
const FAULTS: Readonly<Record<MediaFault, string>> = {
  link: 'Is a link: it might lead out of the folder, and is not followed',
  video: 'Is a video, which there is not here: it stays in their folder',
  unreadable: 'Cannot be read, or is not whole',
  too_many: 'Has more files than a day of sessions: the others stay behind',
}

/** Recordings by the files that there are, of sessions that have come. */
export async function importRecordings(context: ImportContext): Promise<void> {
  const { media } = context.history
  const notes = context.report.kind('Recordings of sessions')
  if (media === undefined) {
    if (context.source.has('terminal.session'))
      notes.leaves('--media', 'Not asked for: name the media folder to have them')
    return
  }
  await access(media, constants.R_OK | constants.X_OK).catch((error: unknown) => {
    throw new StartRefusal(`--media: ${media} cannot be read`, { cause: error })
  })
  const fault = (path: string, which: MediaFault) => notes.staysBehind(path, FAULTS[which])
  for await (const day of findRecordings(media, fault))
    for (let at = 0; at < day.length; at += AT_ONCE) await bringSome(context, notes, day.slice(at, at + AT_ONCE))
}

/** Files first, and then their rows in one transaction: none waits for the copy of a large file. */
async function bringSome(context: ImportContext, notes: KindNotes, found: readonly FoundRecording[]): Promise<void> {
  notes.read += found.length
  const sessions = await arrivedSessions(
    context.run.db,
    PRODUCT,
    found.map(({ session }) => session),
  )
  const placed: (PlacedRecording & { id: string })[] = []
  for (const one of found) {
    const session = sessions.get(one.session)
    if (!session || !isOfDay(session, one.day)) {
      notes.staysBehind(one.session, 'No session of that day has come for it')
      continue
    }
    const done = await place(context, notes, session, one)
    if (done) placed.push({ id: session.id, ...done })
  }
  if (placed.length) await inChunk(context, ({ run }) => markArrivedRecordings(run.db, placed))
}

/** The next day too, and the one before: clocks of components differ, and midnight passes. */
const isOfDay = ({ date_start }: ArrivedSession, day: string): boolean =>
  Math.abs(Date.parse(day) + DAY_MS / 2 - date_start.getTime()) <= 1.5 * DAY_MS

async function place(
  context: ImportContext,
  notes: KindNotes,
  session: ArrivedSession,
  { recording }: FoundRecording,
): Promise<PlacedRecording | undefined> {
  const paths = 'parts' in recording ? recording.parts.map(({ path }) => path) : [recording.path]
  const unread = () => notes.staysBehind(paths[0] ?? session.id, FAULTS.unreadable)
  for (const path of paths)
    try {
      await access(path, constants.R_OK)
    } catch {
      unread()
      return undefined
    }
  const { isCopied = false } = context.history
  try {
    const placed = await placeRecording(context, session, recording, { isCopied, isTried: context.isDryRun })
    if (!placed) notes.same++
    else if (session.has_replay) notes.updated++
    else notes.added++
    return placed
  } catch (error) {
    if (!isOfTheRecording(error, paths)) throw error
    unread()
    return undefined
  }
}

/** Whether one recording is at fault: it is damaged, or was removed, hidden or replaced by a link meanwhile. */
function isOfTheRecording(error: unknown, paths: readonly string[]): boolean {
  if (error instanceof UnjoinableParts || error instanceof LineTooLong || isDamaged(error)) return true
  const { code = '', path = '' } = error as NodeJS.ErrnoException
  return ['ENOENT', 'EACCES', 'ELOOP'].includes(code) && paths.includes(path)
}
