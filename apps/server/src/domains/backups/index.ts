/** Backups of the whole installation, and what is made of them (docs/backup.md). */

import type { Kernel } from '../../kernel/kernel.ts'
import { scheduleBackups } from './schedule.ts'
import { registerStatus } from './status.ts'

export { lastBackup } from './journal.ts'
export { type BackupParts, makeBackup } from './make-backup.ts'
export type { Manifest } from './manifest.ts'
export { openPlace } from './places/open-place.ts'
export type { Place } from './places/place.ts'
export { wordsOf } from './restore/check-parts.ts'
export { type RestoreParts, restoreBackup } from './restore/restore.ts'
export { verifyBackup } from './restore/verify.ts'
export { SHORTEST_PASSPHRASE } from './sealed-key.ts'

/** Backups by the clock, and whether there is a good one. */
export function registerBackups(kernel: Kernel): void {
  scheduleBackups(kernel)
  registerStatus(kernel)
}
