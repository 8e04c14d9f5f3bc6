import type { Kernel } from '../../kernel/kernel.ts'
import { registerBuiltInPictures } from './built-in-pictures.ts'
import { registerProxyCheck } from './proxy-check/routes.ts'
import { registerPublicSettings } from './public.ts'
import { registerSettingCalls } from './setting.ts'
import { openSettings } from './store.ts'

export type { SettingName, Settings } from '@sallyport/contract/settings/index.ts'
export { avatarOf, builtInLogos } from './built-in-pictures.ts'
export { importFileLimit } from './import-file-limit.ts'
export { ldapFaults } from './ldap-rules.ts'
export { checkProxy, type ProxyCheckOptions } from './proxy-check/check-proxy.ts'
export { mendText, type ProxyFinding } from './proxy-check/finding.ts'
export { extendPublicSettings } from './public.ts'
export { readCategory } from './read-category.ts'
export { readEmailSettings } from './reading.ts'
export { settingFaults } from './rules.ts'
export { secretsToEnterAgain } from './secret-recipients.ts'
export { readSettingsInForce, type SettingCheck, type SettingsStore, settingsOf } from './store.ts'
export { SETTINGS_TABLE, type SettingsTakenBack, takeSettingsBack } from './take-back.ts'

/** Opens the settings; from here on every domain may read them. */
export async function registerSettings(kernel: Kernel): Promise<void> {
  const settings = await openSettings(kernel)
  registerPublicSettings(kernel, settings)
  registerSettingCalls(kernel, settings)
  registerProxyCheck(kernel, settings)
  registerBuiltInPictures(kernel)
}
