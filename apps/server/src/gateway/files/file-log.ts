import { join } from 'node:path'
import { type FileOperation, recordFileOperations } from '../../domains/audits/index.ts'
import { displayName } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Journal, type JournalEntry } from '../journal/journal.ts'
import type { Person } from '../session/person.ts'
import { type ConnectionTarget, targetLabel } from '../targets/connection-target.ts'
import { readableName } from './sftp/file-name.ts'
import { SftpStatus, STATUS } from './sftp/sftp-wire.ts'

export type FileOperate = FileOperation['operate']

/**
 * The person, and the target of their files, as the FTP log names them
 * (docs/rules/audits.md#ftp_log).
 */
export type FileActor = Pick<
  FileOperation,
  | 'user'
  | 'remote_addr'
  | 'asset'
  | 'system_user'
  | 'org_id'
  | 'user_id'
  | 'asset_id'
  | 'session_id'
  | 'sign_in_id'
  | 'on_behalf_of'
>

/** Names as `nameOf` gives them: of the file, or of what was there before and what is made of it. */
export interface LoggedOperation {
  operate: FileOperate
  names: readonly string[]
}

/** Work that cannot be logged is not done. */
export class NotLogged extends SftpStatus {
  constructor(cause: unknown) {
    super(STATUS.FAILURE, 'This cannot be logged at the moment and is therefore not done: tell an administrator')
    this.cause = cause
  }
}

/** `sessionId`: where files go through a session's own stream. */
export function fileActor(person: Person, target: ConnectionTarget, sessionId?: string): FileActor {
  const { orgId, systemUser, credentials } = target
  return {
    user: displayName(person),
    remote_addr: person.remoteAddress,
    asset: targetLabel(target),
    system_user: `${systemUser.name}(${credentials.username})`,
    org_id: orgId,
    user_id: person.id,
    asset_id: target.target.id,
    session_id: sessionId,
    sign_in_id: person.signInId,
    on_behalf_of: person.onBehalfOf,
  }
}

/**
 * A row of the FTP log as the journal has it; when it is over, or began, in milliseconds since 1970.
 */
type FileRow = FileOperation & { date_start: number }

/** One operation on a file, written down before it begins; failed unless its end says otherwise. */
export interface FileLogEntry {
  /** See `JournalEntry.end`; `names` where they became others than were logged. */
  end(isSuccess: boolean, names?: readonly string[]): Promise<void>
  /** It did not come about, and leaves no row. */
  drop(): void
}

/** Limit of a name that is stored, in characters; clients may send longer ones. */
const NAME_MAX = 1024

const journals = new WeakMap<Kernel, Journal<FileRow>>()

/** Opens the FTP log of this node, and stores what a killed process has left of it. */
export async function openFileLog(kernel: Kernel): Promise<void> {
  const journal = await Journal.open<FileRow>({
    path: join(kernel.config.dataDirectory, 'files', 'file-log.journal'),
    store: (rows) =>
      recordFileOperations(
        kernel.db,
        rows.map((row) => ({ ...row, date_start: new Date(row.date_start) })),
      ),
    log: kernel.app.log,
  })
  journals.set(kernel, journal)
}

/** Once no operation is under way any more. */
export async function closeFileLog(kernel: Kernel): Promise<void> {
  await journals.get(kernel)?.close()
  journals.delete(kernel)
}

/** Writes down what is about to be done. Throws NotLogged: then it must not be done. */
export async function logOperation(
  kernel: Kernel,
  actor: FileActor,
  { operate, names }: LoggedOperation,
): Promise<FileLogEntry> {
  const filename = loggedName(names)
  try {
    const journal = journals.get(kernel)
    if (!journal) throw new Error('the log is closed')
    return entryOf(await journal.begin({ ...actor, operate, filename, ...outcome(false) }))
  } catch (error) {
    kernel.app.log.error({ err: error, operate, filename }, 'file operation refused')
    throw new NotLogged(error)
  }
}

const loggedName = (names: readonly string[]) => names.map(readableName).join('=>').slice(0, NAME_MAX).toWellFormed()

const outcome = (is_success: boolean) => ({ is_success, date_start: Date.now() })

function entryOf(entry: JournalEntry<FileRow>): FileLogEntry {
  return {
    end: (isSuccess, names) => entry.end({ ...outcome(isSuccess), ...(names && { filename: loggedName(names) }) }),
    drop: () => entry.drop(),
  }
}

/** Settles when the database has the rows of everything that is over by now, or has refused them. */
export async function operationsStored(kernel: Kernel): Promise<void> {
  await journals
    .get(kernel)
    ?.stored()
    .catch(() => {})
}
