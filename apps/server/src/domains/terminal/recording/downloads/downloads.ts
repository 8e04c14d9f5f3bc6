import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline as pipe } from 'node:stream/promises'
import { spoken } from '@sallyport/contract/names.ts'
import { asc, eq } from 'drizzle-orm'
import { type Pack, pack } from 'tar-stream'
import { type Call, callerOf, displayName } from '../../../../kernel/access/call.ts'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { filesOfSession } from '../../../audits/index.ts'
import { commandsOutside } from '../../commands/command-source.ts'
import type { StoredSession } from '../../session.resource.ts'
import { sessionInWords } from '../../session-in-words.ts'
import { terminalCommand } from '../../tables.ts'
import { readyIndexOf } from '../indexing.ts'
import { unpacked } from '../packed-file.ts'
import { altered, isIntact } from '../pieces.ts'
import type { ReplayFile } from '../replay-file.ts'
import { exportPage, MAX_EXPORT_BYTES, readExportProgram } from './export-page.ts'

const MAX_COMMANDS = 1000
const MAX_FILES = 1000

/** The recording as it was written: asciicast, or lines of a log of statements. */
export function textOf(replay: ReplayFile, onError: (error: Error) => void): Readable {
  return unpacked(replay.store.open(replay.name), onError)
}

/**
 * The recording as a page that plays without a server, with who did what, where and when. Throws
 * 400 when it is too large, 409 when it was altered.
 */
export async function pageOf(
  kernel: Kernel,
  replay: ReplayFile,
  session: StoredSession,
  call: Call,
): Promise<Readable> {
  if (replay.bytes > MAX_EXPORT_BYTES)
    throw new AppError(
      400,
      'replay_too_large',
      'This recording is too large for one page. Download the recording itself instead.',
    )
  const index = await readyIndexOf(replay)
  // A page that says who did something must show exactly that.
  if (!(await isIntact(replay, index, session.replay_sha256))) throw altered()
  const program = await readExportProgram()
  const [commands, files] = [await commandsOf(kernel, session), await filesOfSession(kernel.db, session.id, MAX_FILES)]
  const start = index.start ?? session.date_start.getTime() / 1000
  const { language } = call
  // Labelled like the fields of a session.
  const label = (text: string) => translate(language, text)
  return exportPage(
    replay,
    index,
    {
      title: `${sessionInWords(session)} ${session.date_start.toISOString()}`,
      language,
      who: [
        [label('User'), spoken(session.user)],
        [label('Asset'), spoken(session.asset)],
        [label('System user'), spoken(session.system_user)],
        [label('Address'), session.remote_addr ?? ''],
        [label('Starts'), moment(session.date_start, call)],
        [label('Ended'), session.date_end ? moment(session.date_end, call) : ''],
        [translate(language, 'Exported by'), `${spoken(displayName(callerOf(call)))}, ${moment(new Date(), call)}`],
        ['SHA-256', index.sha256],
      ],
      commands: commands.map(({ timestamp, input, risk_level }) => ({
        time: Math.max(0, timestamp - start),
        input,
        risk_level,
      })),
      files: files.map(({ date_start, ...file }) => ({
        ...file,
        time: Math.max(0, date_start.getTime() / 1000 - start),
      })),
    },
    program,
  )
}

/** A tar of the recording and the session as JSON, for the offline player. */
export function tarOf(id: string, json: string, replay: ReplayFile, onError: (error: unknown) => void): Pack {
  const tar = pack()
  const fill = async () => {
    await new Promise<void>((resolve, reject) =>
      tar.entry({ name: `${id}.json` }, json, (error) => (error ? reject(error) : resolve())),
    )
    const entry = tar.entry({ name: basename(replay.name), size: replay.bytes })
    await pipe(openReplay(replay), entry)
    tar.finalize()
  }
  fill().catch((error) => {
    onError(error)
    tar.destroy(error as Error)
  })
  return tar
}

/** As many bytes as were announced, should it grow meanwhile. */
export const openReplay = ({ store, name, bytes }: ReplayFile): Readable => store.open(name, { from: 0, bytes })

/** In time, from wherever they are stored. */
async function commandsOf(kernel: Kernel, { id }: StoredSession) {
  const { timestamp, input, risk_level } = terminalCommand
  const here = await kernel.db
    .select({ timestamp, input, risk_level })
    .from(terminalCommand)
    .where(eq(terminalCommand.session, id))
    .orderBy(asc(timestamp))
    .limit(MAX_COMMANDS)
  const outside = await commandsOutside(kernel, { session: id }, MAX_COMMANDS)
  return [...here, ...outside].sort((a, b) => a.timestamp - b.timestamp).slice(0, MAX_COMMANDS)
}

/** With its zone, since the page is read elsewhere. */
function moment(date: Date, { timeZone }: Call): string {
  return date.toLocaleString('sv-SE', { timeZone, timeZoneName: 'longOffset' })
}
