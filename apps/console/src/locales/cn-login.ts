/** The Chinese of the sign-in page and of what it shares with the console. */
import type { Catalog } from '../lib/i18n.ts'
import lib from './cn/lib.json'
import login from './cn/login.json'
import passkey from './cn/login-passkey.json'

export const catalog: Catalog = { ...lib, ...login, ...passkey }
