import { lt, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { keepCredentials } from '../users/index.ts'
import { mountAccessKeys } from './access-key.ts'
import { registerBearerTokens } from './bearer-token.ts'
import { callerNow } from './caller-now.ts'
import { registerCaptcha } from './captcha.ts'
import { registerCas } from './cas/register.ts'
import { registerConnectionTokens } from './connection-token/register.ts'
import { storedCredentials } from './credentials.ts'
import { registerFlashMessages } from './flash-message.ts'
import { registerLdap } from './ldap/register.ts'
import { registerLoginConfirm } from './login-confirm.ts'
import { registerLoginGuard } from './login-guard.ts'
import { registerMfa } from './mfa.ts'
import { registerMfaPages } from './mfa-pages.ts'
import { registerOpenid } from './openid/register.ts'
import { registerOwnPassword } from './own-password.ts'
import { registerPasskeys } from './passkeys/register.ts'
import { registerPasswordReset } from './password-reset.ts'
import { registerSaml2 } from './saml2/register.ts'
import { registerSamlSignOut } from './saml2-sign-out.ts'
import { registerServiceAccounts } from './service-account.ts'
import { registerSignInList } from './sign-in-list.ts'
import { registerSignInPage } from './sign-in-page.ts'
import { registerSignOut } from './sign-out.ts'
import { authenticationSmsCode } from './sms-code/tables.ts'
import { registerSsoTokens } from './sso-token/sso-token.ts'
import { lapsedSignIns, signInOf } from './still-signed-in.ts'
import {
  authenticationBearerToken,
  authenticationConnectionToken,
  authenticationFailure,
  authenticationFlashMessage,
  authenticationOpenConnection,
  authenticationResetToken,
  authenticationSaml2Assertion,
  authenticationSession,
  authenticationUsedSignature,
} from './tables.ts'
import { registerThirdParty } from './third-party/register.ts'

export { sendFactorCode } from './choose-factor.ts'
export { userAgentOf } from './client-name.ts'
export { admitByToken } from './connection-token/admit.ts'
export { type MfaType, noCodeText, typedChoices } from './factors/index.ts'
export { createAccessProvider } from './identify.ts'
export { askReviewers, CONFIRM_SECONDS, REJECTED } from './login-confirm.ts'
export { requireFreshMfa } from './mfa.ts'
export { type OpenConnection, openConnection } from './open-connection.ts'
export { endPrivateToken, renewPrivateToken } from './private-token.ts'
export { createResetToken } from './reset-token.ts'
export { checkSecondFactor } from './second-factor.ts'
export {
  checkSignIn,
  type Due,
  dueOf,
  finishSignIn,
  isKeyWorthProving,
  type SignedIn,
  type Visitor,
} from './sign-in.ts'
export { lapsedSignIns, renewSignIns, signInOf } from './still-signed-in.ts'
export type { ProvenSignIn } from './tables.ts'

/** Sign-in, tokens and keys. */
export function registerAuthentication(kernel: Kernel): void {
  keepCredentials(storedCredentials)
  kernel.callerNow = (call) => callerNow(kernel, call)
  kernel.signIns = { behind: signInOf, lapsed: (signIns) => lapsedSignIns(kernel, signIns) }
  registerSignInPage(kernel)
  registerSignOut(kernel)
  registerFlashMessages(kernel)
  registerCaptcha(kernel)
  registerLoginGuard(kernel)
  registerLoginConfirm(kernel)
  registerPasswordReset(kernel)
  registerOwnPassword(kernel)
  registerMfa(kernel)
  registerMfaPages(kernel)
  registerBearerTokens(kernel)
  mountAccessKeys(kernel)
  registerSignInList(kernel)
  registerServiceAccounts(kernel)
  registerLdap(kernel)
  registerOpenid(kernel)
  registerCas(kernel)
  registerSaml2(kernel)
  registerSamlSignOut(kernel)
  registerThirdParty(kernel)
  registerSsoTokens(kernel)
  registerConnectionTokens(kernel)
  registerPasskeys(kernel)
  kernel.jobs.schedule('authentication.forget_expired', '*/15 * * * *', async () => {
    for (const table of [
      authenticationSession,
      authenticationBearerToken,
      authenticationConnectionToken,
      authenticationResetToken,
      authenticationFailure,
      authenticationSmsCode,
      authenticationFlashMessage,
      authenticationSaml2Assertion,
      authenticationUsedSignature,
      authenticationConnectionToken,
      authenticationOpenConnection,
    ]) {
      await kernel.db.delete(table).where(lt(table.date_expired, sql`now()`))
    }
  })
}
