import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { mayConnect } from '../../domains/perms/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Program } from '../kinds/terminal/streams.ts'
import type { TransferRules } from '../kinds/terminal/zmodem/transfer-host.ts'
import type { StreamEnd } from '../session/live-session.ts'
import type { RequestBase } from '../session/session-request.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { fileActor, logFileOperation } from './file-log.ts'
import { transferOf } from './transfer-of.ts'

/** What a session has to do with files. */
export interface SessionFiles {
  /** Of files that go through the terminal by themselves. */
  rules: TransferRules
  onEnded(end: StreamEnd): Promise<void>
}

/** The right and the log of files that a session moves are those of all other ways. */
export function sessionFiles(
  kernel: Kernel,
  { person, systemUserId }: Pick<RequestBase, 'person' | 'systemUserId'>,
  program: Program,
  target: ConnectionTarget,
): SessionFiles {
  const actor = fileActor(person, target)
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
      log(direction, { name, isWhole }) {
        const operate = direction === 'download' ? 'Download' : 'Upload'
        void logFileOperation(kernel, actor, { operate, filename: name, isSuccess: isWhole })
      },
    },
    /**
     * One row for a program that moves files by itself; which files it moved is between it and the
     * client (contract/audits.yaml ftp_log).
     */
    async onEnded({ exitCode }) {
      const transfer = program.command === undefined ? undefined : transferOf(program.command)
      if (!transfer) return
      await logFileOperation(kernel, actor, {
        operate: transfer.operate,
        filename: transfer.path,
        isSuccess: exitCode === 0,
      })
    },
  }
}
