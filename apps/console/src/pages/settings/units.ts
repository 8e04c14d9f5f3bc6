import type { SettingName } from '@sallyport/contract/settings/index.ts'
import { msg } from '../../lib/i18n.ts'

/** The unit of a number, and what else is worth saying below it. Both marked with `msg`. */
interface Measure {
  unit: string
  help?: string
}

const DAYS: Measure = { unit: msg('days'), help: '' }
const MINUTES: Measure = { unit: msg('minutes'), help: '' }
const SECONDS: Measure = { unit: msg('seconds'), help: '' }

/** Settings that measure something: the server says the unit in their help, here it is beside the number. */
export const MEASURES: Partial<Record<SettingName, Measure>> = {
  AUTH_LDAP_CONNECT_TIMEOUT: SECONDS,
  AUTH_OPENID_ID_TOKEN_MAX_AGE: SECONDS,
  AUTH_SSO_AUTHKEY_TTL: SECONDS,
  FTP_LOG_KEEP_DAYS: DAYS,
  IMPORT_FILE_LIMIT_MB: { unit: 'MB', help: '' },
  LOGIN_LOG_KEEP_DAYS: DAYS,
  OPERATE_LOG_KEEP_DAYS: DAYS,
  SECURITY_LOGIN_IP_LIMIT_TIME: MINUTES,
  SECURITY_LOGIN_LIMIT_TIME: MINUTES,
  SECURITY_MAX_IDLE_TIME: { unit: msg('minutes'), help: msg('A session without traffic ends after this time') },
  SECURITY_MAX_SESSION_TIME: { unit: msg('hours'), help: msg('The longest a session may last') },
  SECURITY_MFA_VERIFY_TTL: {
    unit: msg('seconds'),
    help: msg('How long a verified second factor is enough to view secrets'),
  },
  SECURITY_PASSWORD_EXPIRATION_TIME: {
    unit: msg('days'),
    help: msg('People are reminded by mail in the last five of them'),
  },
  SECURITY_SIGNED_REQUEST_AGE: {
    unit: msg('minutes'),
    help: msg(
      'How far the date of a request signed with an API key may lie back; with more than 15, a copy counts as long',
    ),
  },
  SITE_MESSAGE_KEEP_DAYS: DAYS,
  TASK_LOG_KEEP_DAYS: DAYS,
  TERMINAL_HEARTBEAT_INTERVAL: { unit: msg('seconds'), help: msg('Between two signs of life of a component') },
  TERMINAL_SESSION_KEEP_DURATION: { unit: msg('days'), help: msg('Sessions, recordings and commands') },
  TERMINAL_SESSION_REATTACH_TIME: {
    unit: msg('minutes'),
    help: msg('How long a session waits for its person after the connection is lost; 0 ends it at once'),
  },
}
