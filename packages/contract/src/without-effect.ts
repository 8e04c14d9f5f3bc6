/**
 * Settings that the API keeps because existing clients know them, while nothing acts on them yet: pages leave them
 * out. A change that gives one its effect removes its line, and the pages show it.
 */
import type { SettingName } from './settings/index.ts'

/** Settings that nothing reads, with what will. */
export const SETTINGS_WITHOUT_EFFECT: Partial<Record<SettingName, string>> = {
  WINDOWS_SKIP_ALL_MANUAL_PASSWORD: 'desktops',
  WINDOWS_SSH_DEFAULT_SHELL: 'tasks on Windows machines',
}
