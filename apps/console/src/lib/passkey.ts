/**
 * Passkeys in this browser: what the server asks goes to the person's authenticator, its answer
 * back as JSON.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { ApiError, errorText } from './api.ts'
import { t } from './i18n.ts'

/** Fetched at the first use: most people who see the button don't press it. */
const library = () => import('@simplewebauthn/browser')

/**
 * Whether there can be passkeys here: browsers have them on pages with a name, by HTTPS or on
 * localhost.
 */
export const passkeysWork = (): boolean =>
  typeof PublicKeyCredential === 'function' && window.isSecureContext && !/^[\d.]+$|:/.test(location.hostname)

/** Has the person make a passkey. Throws what `passkeyFault` puts into words. */
export async function makePasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  return (await library()).startRegistration({ optionsJSON })
}

/** Has the person use one. Throws what `passkeyFault` puts into words. */
export async function answerPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  return (await library()).startAuthentication({ optionsJSON })
}

/** Takes the browser's own dialog away, when nobody waits for its answer any more. */
export async function cancelPasskey(): Promise<void> {
  ;(await library()).WebAuthnAbortService.cancelCeremony()
}

/** What to tell the person, whether the server refused or the browser did. */
export function passkeyFault(error: unknown): string {
  if (error instanceof ApiError) {
    const msg = error.body && typeof error.body === 'object' ? (error.body as { msg?: string }).msg : undefined
    return msg ?? errorText(error)
  }
  const { name, message } = error as Error
  // Browsers say no more when somebody closes their dialog, waits too long, or has none that fits.
  if (name === 'NotAllowedError' || name === 'AbortError')
    return t('No passkey was used. Try again when you are ready.')
  if (name === 'InvalidStateError') return t('This device holds a passkey of yours already.')
  return t('The passkey could not be used: {{reason}}', { reason: message })
}
