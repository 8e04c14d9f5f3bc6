import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { mayConnect } from '../../domains/perms/index.ts'
import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Program } from '../kinds/terminal/streams.ts'
import type { TransferLog, TransferRules } from '../kinds/terminal/zmodem/transfer-host.ts'
import type { StreamEnd } from '../session/live-session.ts'
import type { RequestBase } from '../session/session-request.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { type FileLogEntry, fileActor, type LoggedOperation, logOperation } from './file-log.ts'
import { nameOf } from './sftp/file-name.ts'
import { transferOf } from './transfer-of.ts'

/** The files that are moved within a session. */
export interface SessionFiles {
  /** For files that are sent through the terminal itself (ZMODEM). */
  rules: TransferRules
  onEnded(end: StreamEnd): Promise<void>
}

/**
 * Files moved within a session need the same right and leave the same log as any others. Throws
 * NotLogged.
 */
export async function sessionFiles(
  kernel: Kernel,
  { person, systemUserId }: Pick<RequestBase, 'person' | 'systemUserId'>,
  program: Program,
  target: ConnectionTarget,
  sessionId: string,
): Promise<SessionFiles> {
  const actor = fileActor(person, target, sessionId)
  const transfer = program.command === undefined ? undefined : transferOf(nameOf(program.command))
  // One entry for a program that moves files itself; which files it moved is known to it and the
  // client alone (docs/rules/audits.md#ftp_log).
  const entry = transfer && (await logOperation(kernel, actor, { operate: transfer.operate, names: [transfer.path] }))
  return {
    rules: {
      async may(direction) {
        const { allowed, mask } = await mayConnect(kernel.db, {
          userId: person.id,
          target: target.target,
          systemUserId,
        })
        return allowed && (mask & ACTION_BITS[direction === 'download' ? 'download_file' : 'upload_file']) !== 0
      },
      begin: (direction) => beginTransfer(direction, (operation) => logOperation(kernel, actor, operation)),
      refused(direction) {
        const operation = { operate: OPERATE[direction], names: [UNNAMED[direction]] }
        logOperation(kernel, actor, operation).then(
          (row) => row.end(false),
          () => {},
        )
      },
    },
    onEnded: async ({ exitCode }) => entry?.end(exitCode === 0),
  }
}

const OPERATE = { download: 'Download', upload: 'Upload' } as const
/** The name in the log for a transfer that has not named its file. */
const UNNAMED = { download: 'sz', upload: 'rz' } as const

/** A row for each file; should one not be possible any more, that of the transfer counts for it. */
async function beginTransfer(
  direction: keyof typeof OPERATE,
  log: (operation: LoggedOperation) => Promise<FileLogEntry>,
): Promise<TransferLog> {
  const operate = OPERATE[direction]
  const whole = await log({ operate, names: [UNNAMED[direction]] })
  const files: Promise<void>[] = []
  let isNeeded = false
  return {
    file({ name, isWhole }) {
      const logged = log({ operate, names: [name] }).then((row) => row.end(isWhole))
      files.push(
        logged.catch(() => {
          isNeeded = true
        }),
      )
    },
    over: () => inBackground(Promise.all(files).then(() => (isNeeded ? whole.end(false) : whole.drop()))),
  }
}
