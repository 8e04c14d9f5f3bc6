import { ResultCodeError } from 'ldapts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'

/**
 * Why the directory could not be asked: an English text with `{{name}}` placeholders, for the
 * administrator who sets it up.
 */
export class LdapFailure extends Error {
  readonly values: Readonly<Record<string, unknown>>
  constructor(text: string, values: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(text, { cause })
    this.name = 'LdapFailure'
    this.values = values
  }

  in(language: Language): string {
    return translate(language, this.message, this.values)
  }
}

/** The directory knows the name, and not whose it is. */
export class SeveralFound extends LdapFailure {
  constructor(cause?: unknown) {
    super('The user search filter finds several people for one name', {}, cause)
  }
}

const RESULT = {
  sizeLimit: 4,
  strongAuth: 8,
  confidentiality: 13,
  noSuchObject: 32,
  invalidDn: 34,
  invalidCredentials: 49,
} as const
const MAX_DETAIL = 300

/** Turns errors of the library and the network into sentences. */
export function asLdapFailure(error: unknown): LdapFailure {
  if (error instanceof LdapFailure) return error
  const detail = String((error as Error).message ?? error)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_DETAIL)
  return new LdapFailure(textOf(error as Error & { code?: unknown }), { detail }, error)
}

function textOf(error: Error & { code?: unknown }): string {
  if (error instanceof ResultCodeError) {
    if (error.code === RESULT.invalidCredentials) return 'The LDAP server refuses the bind DN or its password'
    if (error.code === RESULT.strongAuth || error.code === RESULT.confidentiality)
      return 'The LDAP server requires an encrypted connection: use ldaps:// or StartTLS'
    if (error.code === RESULT.noSuchObject || error.code === RESULT.invalidDn)
      return 'The LDAP server does not know this DN ({{detail}})'
    if (error.code === RESULT.sizeLimit)
      return 'The LDAP server returns fewer entries at once: set a smaller search page size'
    return 'The LDAP server answers with an error ({{detail}})'
  }
  const code = String(error.code ?? '')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name of the LDAP server cannot be resolved'
  if (code === 'ECONNREFUSED') return 'Nothing listens at the address of the LDAP server'
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code) || /timed? ?out/i.test(error.message))
    return 'The LDAP server does not answer'
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(code))
    return 'The certificate of the LDAP server cannot be verified ({{detail}})'
  if (/^(ERR_SSL|EPROTO)/.test(code)) return 'No encrypted connection to the LDAP server could be made ({{detail}})'
  return 'The connection to the LDAP server failed ({{detail}})'
}
