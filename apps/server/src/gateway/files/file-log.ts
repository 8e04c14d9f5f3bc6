import { type FileOperation, recordFileOperation } from '../../domains/audits/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { withRetries } from '../recording/retry.ts'
import type { Person } from '../session/person.ts'
import { type ConnectionTarget, targetLabel } from '../targets/connection-target.ts'

export type FileOperate = FileOperation['operate']

/**
 * Who does something with which files, as the FTP log names them (contract/audits.yaml ftp_log).
 */
export type FileActor = Pick<FileOperation, 'user' | 'remote_addr' | 'asset' | 'system_user' | 'org_id'>

export function fileActor(person: Person, target: ConnectionTarget): FileActor {
  const { orgId, systemUser, credentials } = target
  return {
    user: `${person.name}(${person.username})`,
    remote_addr: person.remoteAddress,
    asset: targetLabel(target),
    system_user: `${systemUser.name}(${credentials.username})`,
    org_id: orgId,
  }
}

/**
 * Logs what was done or tried. Never throws, as it has happened by now; when the database does not
 * answer, tries again for a while.
 */
export async function logFileOperation(
  kernel: Kernel,
  actor: FileActor,
  operation: { operate: FileOperate; filename: string; isSuccess: boolean },
): Promise<void> {
  const { operate, filename, isSuccess } = operation
  const row = { ...actor, operate, filename: filename.toWellFormed(), is_success: isSuccess }
  try {
    await withRetries(() => recordFileOperation(kernel.db, row))
  } catch (error) {
    kernel.app.log.error({ err: error, row }, 'file operation could not be written down')
  }
}
