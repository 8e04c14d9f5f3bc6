/**
 * The signed-in person, the organization, and the rights. Fixed until the page is loaded again: every switch
 * (organization, role, language) reloads.
 */
import { type Access, hasPermission, type OrgRole, PERMISSION, type SystemRole } from '@sallyport/contract/access.ts'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { PasswordRule } from '../lib/password-rules.ts'

export interface PublicSettings {
  XPACK_ENABLED?: boolean
  XPACK_LICENSE_IS_VALID?: boolean
  XPACK_LICENSE_INFO?: { corporation?: string }
  LOGIN_TITLE?: string
  LOGO_URLS?: { logo_logout?: string; logo_index?: string; login_image?: string; favicon?: string }
  /** Ways to sign in beside name and password. */
  LOGIN_METHODS?: LoginMethod[]
  /** Whether people may sign in with a passkey alone. */
  AUTH_PASSKEY?: boolean
  /** Whether a mail server is set up. */
  CAN_SEND_MAIL?: boolean
  /** How people ask for a new password, the first by default. */
  FORGOT_PASSWORD_WAYS?: ('mail' | 'sms')[]
  HELP_DOCUMENT_URL?: string
  HELP_ENTERPRISE_URL?: string
  HELP_SUPPORT_URL?: string
  /** Ports for plain clients of databases, by type; of what is switched on. */
  DATABASE_PORTS?: Readonly<Partial<Record<string, number>>>
  /** Ports for clients of desktops, by what they speak; of what is switched on. */
  DESKTOP_PORTS?: Readonly<{ rdp?: number; vnc?: number }>
  /** What people agree to at their first sign-in. */
  TERMS_URL?: string
  SECURITY_PASSWORD_EXPIRATION_TIME?: number
  PASSWORD_RULE?: PasswordRule
  [name: string]: unknown
}

export interface LoginMethod {
  backend: string
  name: string
  url: string
}

export interface Org {
  id: string
  name: string
  is_default?: boolean
  is_root?: boolean
}

export interface Profile {
  id: string
  name: string
  username: string
  email?: string
  source?: string
  role: SystemRole
  current_org_roles?: OrgRole[]
  admin_or_audit_orgs?: Org[]
  user_all_orgs?: Org[]
  is_first_login?: boolean
  /** Organizations in which the person has sent the guide to the first session away. */
  guide_dismissed_in?: readonly string[]
  date_password_last_updated?: string | null
  [name: string]: unknown
}

export interface Session {
  settings: PublicSettings
  profile: Profile
  /** Undefined for people who administer and audit nothing. */
  org: Org | undefined
  /** Organizations the person may administer or audit, from the profile. */
  orgs: readonly Org[]
  /** All bits the person holds in the current organization. */
  bits: number
  /** The part of the bits in use: the admin pages or the user pages (A6.25). */
  role: number
}

let current: Session | undefined

/** The session; start-up has set it before anything is rendered. */
export function session(): Session {
  if (!current) throw new Error('the session is not loaded yet')
  return current
}

/** Set by start-up and by tests. */
export function setSession(loaded: Session): void {
  current = loaded
}

/** A license counts only when the extension is enabled and the license valid. */
export function isLicensed(settings: PublicSettings): boolean {
  return settings.XPACK_ENABLED === true && settings.XPACK_LICENSE_IS_VALID === true
}

export function licenseValid(): boolean {
  return isLicensed(session().settings)
}

/** Admin pages are shown while the role in use has no use bit. */
export function onAdminPages(): boolean {
  return !hasPermission(session().role, PERMISSION.use)
}

/** The root organization spans all others and is mostly read-only (A6.32). */
export function inRootOrg(): boolean {
  return session().org?.id === ROOT_ORG_ID
}

/**
 * Whether the person may make a call that asks for one of these words; the server has the last say.
 */
export function mayAccess(words: readonly Access[]): boolean {
  const { bits, org } = session()
  const admin = hasPermission(bits, PERMISSION.admin)
  return words.some((word) => {
    if (word === 'anonymous' || word === 'authenticated') return true
    if (word === 'super_admin') return hasPermission(bits, PERMISSION.super)
    if (word === 'org_admin') return org?.id === ROOT_ORG_ID ? hasPermission(bits, PERMISSION.super) : admin
    if (word === 'org_auditor') return admin || hasPermission(bits, PERMISSION.audit)
    return false
  })
}
