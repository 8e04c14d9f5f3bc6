import { SETTINGS } from './config-settings.ts'
import type { Config } from './kernel/config.ts'
import type { StartSetting } from './kernel/doctor/support-archive.ts'

/** Every setting that is read at start, with its value. */
export const startSettings = (config: Config): StartSetting[] =>
  Object.entries(SETTINGS).map(([name, { field }]) => ({ name, value: config[field] }))
