import type { SettingsStore } from './store.ts'

/**
 * MB (2^20 bytes) that an import file may have now. Ten always pass, whatever is stored (notes 4).
 */
export function importFileLimit(settings: SettingsStore): number {
  return Math.max(10, settings.get('IMPORT_FILE_LIMIT_MB'))
}
