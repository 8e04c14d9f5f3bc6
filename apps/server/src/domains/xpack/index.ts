import type { Kernel } from '../../kernel/kernel.ts'
import { extendPublicSettings } from '../settings/index.ts'
import { openInterface } from './interface-setting.ts'
import { openLicense } from './license.ts'
import { registerLicenseCalls } from './license-routes.ts'

export { issueLicense } from './issue-license.ts'
export { licenseOf } from './license.ts'
export { type Edition, isEdition } from './license-document.ts'
export { PUBLIC_KEY, signingKeyIn } from './license-keys.ts'

/** Shown in the footer where no license names a corporation. */
const COPYRIGHT = 'Sallyport contributors'

/** License and branding (docs/rules/xpack.md). */
export async function registerXpack(kernel: Kernel): Promise<void> {
  const license = await openLicense(kernel)
  registerLicenseCalls(kernel, license)
  const pictures = await openInterface(kernel)
  extendPublicSettings(kernel, () => {
    const isValid = license.isValid()
    const { corporation = COPYRIGHT } = (isValid && license.current()) || {}
    return {
      XPACK_ENABLED: true,
      XPACK_LICENSE_IS_VALID: isValid,
      XPACK_LICENSE_INFO: { corporation },
      // Everybody may set the title; own pictures need a license.
      ...(isValid ? { LOGO_URLS: pictures.urls() } : {}),
    }
  })
}
