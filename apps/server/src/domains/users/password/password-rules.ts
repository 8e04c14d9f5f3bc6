import type { SettingsStore } from '../../settings/index.ts'

/** Characters that count as special (docs/rules/authentication.md#password_rules). */
const SPECIAL = '`~!@#$%^&*()-=_+[]{}|;:\'",.<>/?'
const FIRST = /^[A-Za-z0-9`~!@#$%^&*()\-=_+[\]{}|;:'",.<>/?]/

/**
 * Whether a password satisfies the installation's rules (A5.04). `admin`: the minimum length
 * is that of administrators, of the system or of any organization.
 */
export function isStrongEnough(password: string, settings: Pick<SettingsStore, 'get'>, admin: boolean): boolean {
  const length = settings.get(admin ? 'SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH' : 'SECURITY_PASSWORD_MIN_LENGTH')
  if ([...password].length < length || !FIRST.test(password)) return false
  if (settings.get('SECURITY_PASSWORD_UPPER_CASE') && !/[A-Z]/.test(password)) return false
  if (settings.get('SECURITY_PASSWORD_LOWER_CASE') && !/[a-z]/.test(password)) return false
  if (settings.get('SECURITY_PASSWORD_NUMBER') && !/\d/.test(password)) return false
  if (settings.get('SECURITY_PASSWORD_SPECIAL_CHAR') && ![...password].some((letter) => SPECIAL.includes(letter)))
    return false
  return true
}
