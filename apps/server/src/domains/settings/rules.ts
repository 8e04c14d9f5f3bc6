import { createPublicKey } from 'node:crypto'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { readPublicKey } from '../../kernel/ssh/keys/public-key.ts'
import { isAddressPattern } from './address-pattern.ts'
import { ldapFaults } from './ldap-rules.ts'

type Changes = Partial<Settings>

/** Ends a line somewhere: in a header of a mail, an address, a line of a log. */
const LINE_END = /[\p{Cc}\u2028\u2029]/u
/** Keys in PEM have lines. */
const WITH_LINES: ReadonlySet<string> = new Set(['AUTH_OPENID_PROVIDER_SIGNATURE_KEY'])

const EMAIL = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/
/** Links that pages and mails show: other schemes could run script there. */
const WEB_ADDRESS = /^https?:\/\/[^/?#]/i

/** Algorithms that sign tokens (RFC 7518 §3.1, RFC 8037 §3.1); "none" is not among them. */
const SIGNATURE = /^([HRPE]S(256|384|512)|EdDSA)$/

/** Every page loads it, so it is bounded, though the field itself is not. */
const MAX_ANNOUNCEMENT = 10_000

const WEB_ADDRESSES = [
  'SITE_URL',
  'USER_GUIDE_URL',
  'TERMS_URL',
  'FORGOT_PASSWORD_URL',
  'HELP_DOCUMENT_URL',
  'HELP_SUPPORT_URL',
  'HELP_ENTERPRISE_URL',
  'SAML2_IDP_METADATA_URL',
  'BASE_SITE_URL',
  'AUTH_OPENID_SERVER_URL',
  'AUTH_OPENID_PROVIDER_ENDPOINT',
  'CAS_SERVER_URL',
  'CAS_ROOT_PROXIED_AS',
  'WECOM_API_URL',
  'WECOM_LOGIN_URL',
  'DINGTALK_API_URL',
  'FEISHU_API_URL',
  'SLACK_API_URL',
  'SLACK_WEBHOOK_URL',
  'TEAMS_WEBHOOK_URL',
  'TEAMS_PERSON_WEBHOOK_URL',
] as const satisfies readonly SettingName[]

/** Endpoints of an OpenID provider: absolute, or relative to the provider's own address. */
const ENDPOINTS = [
  'AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT',
  'AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT',
  'AUTH_OPENID_PROVIDER_JWKS_ENDPOINT',
  'AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT',
  'AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT',
] as const satisfies readonly SettingName[]

/**
 * Checks new values beyond type and bounds. Answers messages by field, in the language given.
 * @param changes values that were sent
 * @param after the settings as they would be
 */
export function settingFaults(changes: Changes, after: Settings, language: Language): FieldErrors {
  const faults: FieldErrors = {}
  const fault = (name: string, text: string, values?: Record<string, unknown>) => {
    faults[name] = [translate(language, text, values)]
  }
  for (const [name, value] of Object.entries(changes))
    if (isOfOneLine(name as SettingName) && typeof value === 'string' && LINE_END.test(value))
      fault(name, 'This is one line: it takes no line breaks and control characters')
  for (const name of WEB_ADDRESSES) if (changes[name] && !isWebAddress(changes[name])) fault(name, 'Enter a valid URL.')
  for (const name of ENDPOINTS)
    if (changes[name] && !isWebAddress(changes[name], after.AUTH_OPENID_PROVIDER_ENDPOINT))
      fault(name, 'Enter a valid URL.')
  if (changes.ANNOUNCEMENT?.LINK && !isWebAddress(String(changes.ANNOUNCEMENT.LINK)))
    fault('ANNOUNCEMENT.LINK', 'Enter a valid URL.')
  if (String(changes.ANNOUNCEMENT?.CONTENT ?? '').length > MAX_ANNOUNCEMENT)
    fault('ANNOUNCEMENT.CONTENT', 'Ensure this field has no more than {{max|character|characters}}.', {
      max: MAX_ANNOUNCEMENT,
    })
  for (const name of ['SECURITY_LOGIN_IP_WHITE_LIST', 'SECURITY_LOGIN_IP_BLACK_LIST'] as const) {
    const bad = changes[name]?.find((entry) => !isAddressPattern(entry))
    if (bad !== undefined)
      fault(name, '"{{value}}" is not an address, network or range of addresses', { value: bad.slice(0, 100) })
  }
  for (const name of ['EMAIL_FROM', 'EMAIL_RECIPIENT'] as const)
    if (changes[name] && !EMAIL.test(changes[name])) fault(name, 'Enter a valid email address.')
  if (
    changes.EMAIL_PORT &&
    !(/^\d+$/.test(changes.EMAIL_PORT) && Number(changes.EMAIL_PORT) >= 1 && Number(changes.EMAIL_PORT) <= 65_535)
  )
    fault('EMAIL_PORT', 'A port is a number from 1 to 65535')
  if ((changes.EMAIL_USE_SSL || changes.EMAIL_USE_TLS) && after.EMAIL_USE_SSL && after.EMAIL_USE_TLS)
    fault(changes.EMAIL_USE_TLS ? 'EMAIL_USE_TLS' : 'EMAIL_USE_SSL', 'Choose either SSL or TLS')
  if (changes.TERMINAL_USER_AUTHORITIES && !areKeys(changes.TERMINAL_USER_AUTHORITIES))
    fault(
      'TERMINAL_USER_AUTHORITIES',
      'Enter public keys of type ed25519, ECDSA or RSA, one per line, and no certificates',
    )
  if (changes.TERMINAL_REVOKED_CERTIFICATES && !linesOf(changes.TERMINAL_REVOKED_CERTIFICATES).every(isRevocation))
    fault('TERMINAL_REVOKED_CERTIFICATES', 'Enter serial 42, id alice@laptop or SHA256:…, one per line')
  if (changes.TERMINAL_TELNET_REGEX && !isRegularExpression(changes.TERMINAL_TELNET_REGEX))
    fault('TERMINAL_TELNET_REGEX', 'This is not a regular expression')
  if (changes.AUTH_OPENID_PROVIDER_SIGNATURE_ALG && !SIGNATURE.test(changes.AUTH_OPENID_PROVIDER_SIGNATURE_ALG))
    fault('AUTH_OPENID_PROVIDER_SIGNATURE_ALG', 'Enter HS256, RS256, PS256, ES256 or one of their 384 and 512 forms')
  if (
    changes.AUTH_OPENID_PROVIDER_SIGNATURE_KEY &&
    !after.AUTH_OPENID_PROVIDER_SIGNATURE_ALG.startsWith('HS') &&
    !isPublicKey(changes.AUTH_OPENID_PROVIDER_SIGNATURE_KEY)
  )
    fault('AUTH_OPENID_PROVIDER_SIGNATURE_KEY', 'This is not a public key or certificate in PEM form')
  ldapFaults(changes, fault)
  return faults
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)

function areKeys(text: string): boolean {
  try {
    for (const line of linesOf(text)) readPublicKey(line)
    return true
  } catch {
    return false
  }
}

const isRevocation = (line: string): boolean => /^serial \d{1,20}$|^id \S.*$|^SHA256:[\w+/]{43}$/.test(line)

/** Where there is a base, a path relative to it is fine too. */
function isWebAddress(text: string, base?: string): boolean {
  if (base !== undefined && !/^[a-z][a-z\d+.-]*:|^[\\/]{2}/i.test(text)) return URL.canParse(text, base)
  return WEB_ADDRESS.test(text) && URL.canParse(text)
}

function isPublicKey(pem: string): boolean {
  try {
    createPublicKey(pem)
    return true
  } catch {
    return false
  }
}

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

/** Texts other than those of several lines; secrets are whatever they are elsewhere. */
const isOfOneLine = (name: SettingName) =>
  ['string', 'url'].includes(ALL_SETTINGS[name].type) && !('writeOnly' in ALL_SETTINGS[name]) && !WITH_LINES.has(name)
