/**
 * The installation's password rules, checked while typing (A5.04). The server checks again.
 */
import { t } from './i18n.ts'

export interface PasswordRule {
  SECURITY_PASSWORD_MIN_LENGTH?: number
  SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH?: number
  SECURITY_PASSWORD_UPPER_CASE?: boolean
  SECURITY_PASSWORD_LOWER_CASE?: boolean
  SECURITY_PASSWORD_NUMBER?: boolean
  SECURITY_PASSWORD_SPECIAL_CHAR?: boolean
}

export interface RuleCheck {
  text: string
  met: boolean
}

const DEFAULT_MIN_LENGTH = 6
/**
 * The server counts these and no others as special (docs/rules/authentication.md#password_rules).
 */
const SPECIAL = /[`~!@#$%^&*()\-=_+[\]{}|;:'",.<>/?]/

/** Every rule that is on, and whether the password meets it. */
export function checkPassword(password: string, rule: PasswordRule = {}, forAdmin = false): RuleCheck[] {
  const least =
    (forAdmin ? rule.SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH : rule.SECURITY_PASSWORD_MIN_LENGTH) ?? DEFAULT_MIN_LENGTH
  const checks: RuleCheck[] = [
    { text: t('At least {{count|character|characters}}', { count: least }), met: [...password].length >= least },
  ]
  if (rule.SECURITY_PASSWORD_UPPER_CASE)
    checks.push({ text: t('Upper-case letter required'), met: /[A-Z]/.test(password) })
  if (rule.SECURITY_PASSWORD_LOWER_CASE)
    checks.push({ text: t('Lower-case letter required'), met: /[a-z]/.test(password) })
  if (rule.SECURITY_PASSWORD_NUMBER) checks.push({ text: t('Number required'), met: /\d/.test(password) })
  if (rule.SECURITY_PASSWORD_SPECIAL_CHAR)
    checks.push({ text: t('Special character required'), met: SPECIAL.test(password) })
  return checks
}

/** From 0 to 1: rules met, then length and variety beyond them. */
export function passwordStrength(password: string, checks: readonly RuleCheck[]): number {
  if (password === '') return 0
  const met = checks.filter((check) => check.met).length / checks.length
  const variety = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length / 4
  const length = Math.min([...password].length / 16, 1)
  return met < 1 ? met * 0.4 : 0.4 + 0.6 * (0.4 * variety + 0.6 * length)
}
