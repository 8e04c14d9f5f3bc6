import { lt, sql } from 'drizzle-orm'
import { targetLimits } from '../../kernel/access/target-limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { organizationsHold } from '../orgs/index.ts'
import { freshProof } from '../tickets/index.ts'
import { credentials } from '../users/index.ts'
import { registerAgentSignIn } from './agent-sign-in/index.ts'
import { dropOverlong } from './browser-sign-in/hold.ts'
import { registerBrowserSignIn } from './browser-sign-in/routes.ts'
import { registerCaptcha } from './captcha/captcha.ts'
import { registerConnectionTokens } from './connection-token/register.ts'
import { registerBearerTokens } from './credentials/bearer-token.ts'
import { storedCredentials } from './credentials/credentials.ts'
import { registerServiceAccounts } from './credentials/service-account.ts'
import { registerFlashMessages } from './flash-message.ts'
import { registerLdap } from './ldap/register.ts'
import { registerOwnPassword } from './own-password.ts'
import { dueProof, requireProof } from './passkeys/fresh-proof.ts'
import { registerPasskeys } from './passkeys/register.ts'
import { registerPasswordReset } from './password-reset/password-reset.ts'
import { registerPasswordResetPage } from './password-reset-page.ts'
import { registerMfa } from './second-factor/mfa.ts'
import { registerMfaPages } from './second-factor/mfa-pages.ts'
import {
  authenticationServiceIdentity,
  authenticationUsedWorkloadToken,
  authenticationWorkloadToken,
} from './service-identities/tables.ts'
import { serviceTargetLimits } from './service-identities/target-limits.ts'
import { registerWorkloadExchange } from './service-identities/workload/exchange.ts'
import { registerLoginConfirm } from './sign-in/login-confirm.ts'
import { registerLoginGuard } from './sign-in/login-guard.ts'
import { registerSignInPage } from './sign-in-page.ts'
import { callerNow } from './signed-in/caller-now.ts'
import { registerSamlSignOut } from './signed-in/saml2-sign-out.ts'
import { registerSignOut } from './signed-in/sign-out.ts'
import { lapsedSignIns, signInOf } from './signed-in/still-signed-in.ts'
import { registerCas } from './single-sign-on/cas/register.ts'
import { registerOpenid } from './single-sign-on/openid/register.ts'
import { registerSaml2 } from './single-sign-on/saml2/register.ts'
import { registerSsoTokens } from './single-sign-on/sso-token/sso-token.ts'
import { registerThirdParty } from './single-sign-on/third-party/register.ts'
import { authenticationSmsCode } from './sms-code/tables.ts'
import {
  authenticationAgentCode,
  authenticationAgentGrant,
  authenticationAgentProgram,
  authenticationBearerToken,
  authenticationBrowserHold,
  authenticationBrowserSignIn,
  authenticationConnectionToken,
  authenticationFailure,
  authenticationFlashMessage,
  authenticationOpenConnection,
  authenticationResetToken,
  authenticationSaml2Assertion,
  authenticationSession,
  authenticationUsedSignature,
} from './tables.ts'

export { agentChallenge } from './agent-sign-in/index.ts'
export { type AgentUse, addAgentUse } from './agent-use.ts'
export { admitByToken, holderOfToken } from './connection-token/admit.ts'
export { admitClientByToken, renewToken, revokeToken } from './connection-token/admit-client.ts'
export { createAccessProvider } from './credentials/identify.ts'
export { endPrivateToken, renewPrivateToken } from './credentials/private-token.ts'
export { type DemoAccount, offerDemoAccounts } from './demo-accounts.ts'
export { type MfaType, noCodeText, typedChoices } from './factors/index.ts'
export { countFailure } from './failures.ts'
export { signInByOneAnswer } from './one-answer.ts'
export { addressWithout, PHONE } from './outside-people.ts'
export { sendFactorCode } from './second-factor/choose-factor.ts'
export { checkSecondFactor } from './second-factor/second-factor.ts'
export { askReviewers, CONFIRM_SECONDS, REJECTED } from './sign-in/login-confirm.ts'
export {
  checkSignIn,
  type Due,
  dueOf,
  finishSignIn,
  isKeyWorthProving,
  type SignedIn,
  type SignInClient,
} from './sign-in/sign-in.ts'
export { type OpenConnection, openConnection } from './signed-in/open-connection.ts'
export { lapsedSignIns, renewSignIns, signInOf } from './signed-in/still-signed-in.ts'
export type { ProvenSignIn } from './tables.ts'

/** Sign-in, tokens and keys. */
export function registerAuthentication(kernel: Kernel): void {
  credentials.provide(storedCredentials)
  targetLimits.provide(serviceTargetLimits)
  freshProof.provide({ due: (kernel, { call }) => dueProof(kernel, call), require: requireProof })
  kernel.callerNow = (call) => callerNow(kernel, call)
  kernel.signIns = { behind: signInOf, lapsed: (signIns) => lapsedSignIns(kernel, signIns) }
  registerSignInPage(kernel)
  registerSignOut(kernel)
  registerFlashMessages(kernel)
  registerCaptcha(kernel)
  registerLoginGuard(kernel)
  registerLoginConfirm(kernel)
  registerPasswordReset(kernel)
  registerPasswordResetPage(kernel)
  registerOwnPassword(kernel)
  registerMfa(kernel)
  registerMfaPages(kernel)
  registerBearerTokens(kernel)
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
  registerBrowserSignIn(kernel)
  registerAgentSignIn(kernel)
  registerWorkloadExchange(kernel)
  organizationsHold({
    field: 'service_identities',
    label: 'Service identity',
    from: authenticationServiceIdentity,
    uncounted: true,
  })
  kernel.jobs.schedule(
    {
      name: 'authentication.forget_expired',
      cron: '*/15 * * * *',
      title: 'Forget expired sign-ins and tokens',
      isEssential: true,
    },
    async () => {
      for (const table of [
        authenticationSession,
        authenticationBearerToken,
        authenticationConnectionToken,
        authenticationResetToken,
        authenticationBrowserSignIn,
        authenticationBrowserHold,
        authenticationFailure,
        authenticationSmsCode,
        authenticationFlashMessage,
        authenticationSaml2Assertion,
        authenticationUsedSignature,
        authenticationConnectionToken,
        authenticationOpenConnection,
        authenticationWorkloadToken,
        authenticationUsedWorkloadToken,
        authenticationAgentCode,
        authenticationAgentGrant,
        authenticationAgentProgram,
      ]) {
        await kernel.db.delete(table).where(lt(table.date_expired, sql`now()`))
      }
      await dropOverlong(kernel)
    },
  )
}
