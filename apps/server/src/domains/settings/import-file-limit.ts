import type { SettingsStore } from './store.ts'

/** Largest import file at this moment, in MB (2^20 bytes); never less than ten (A5.13). */
export function importFileLimit(settings: SettingsStore): number {
  return Math.max(10, settings.get('IMPORT_FILE_LIMIT_MB'))
}
