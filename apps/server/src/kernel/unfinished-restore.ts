import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefusal } from './start-refusal.ts'

/** A data directory with this file is half of one: a backup is being put back into it. */
export const RESTORE_MARK = 'restore-unfinished'

/** From here on the data directory is not to be started with. */
export function beginRestore(dataDirectory: string): void {
  writeFileSync(join(dataDirectory, RESTORE_MARK), 'A backup is being restored here.\n', { mode: 0o600, flush: true })
}

export function endRestore(dataDirectory: string): void {
  rmSync(join(dataDirectory, RESTORE_MARK), { force: true })
}

export const isRestoreUnfinished = (dataDirectory: string) => existsSync(join(dataDirectory, RESTORE_MARK))

/** Throws StartRefusal where a restore has begun and not ended: half of an installation is none. */
export function refuseHalfRestore(dataDirectory: string): void {
  if (isRestoreUnfinished(dataDirectory))
    throw new StartRefusal(
      `A restore into the data directory ${dataDirectory} has not finished: run sallyport-admin restore again, or start with another SALLYPORT_DATA_DIR`,
    )
}
