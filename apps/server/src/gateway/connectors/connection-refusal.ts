import { CERTIFICATE_REFUSED, NO_AUTHORITY } from '../../domains/assets/networks/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

interface Reached extends Pick<ConnectionTarget, 'gateways'> {
  /** Address and port, where the words are to name them: `10.0.0.5:22`. */
  place?: string
}

/**
 * A failed connection as a refusal in the person's language
 * (docs/rules/gateway.md#readable_errors).
 */
export function connectionRefusal(
  error: unknown,
  { gateways, place }: Reached,
  { language }: Pick<Person, 'language'>,
): SessionRefusal {
  const at = (text: string) =>
    place
      ? new SessionRefusal('{{reason}} ({{place}})', { reason: translate(language, text), place })
      : new SessionRefusal(text)
  if (error instanceof SessionRefusal) return error
  if (!(error instanceof SshError)) return new SessionRefusal('The connection failed')
  const atGateway = gateways.length > 0 && error.hop === 0
  if (error.failure === 'host_key_changed') return hostKeyRefusal(error, atGateway, language)
  if (atGateway && error.failure !== 'closed')
    return new SessionRefusal('None of the gateways of this network could be reached')
  switch (error.failure) {
    case 'authentication':
      return new SessionRefusal('The machine refused the username or the password')
    case 'certificate':
      return new SessionRefusal(CERTIFICATE_REFUSED)
    case 'no_authority':
      return new SessionRefusal(NO_AUTHORITY)
    case 'closed':
      return at('This address is closed to connections from this server')
    case 'timeout':
      return at('The machine did not answer in time')
    case 'unreachable':
      return at(readableNetworkError(error))
    default:
      return error.failure satisfies never
  }
}

/** Address and port, as a person writes them. */
export const placeOf = (address: string, port: number): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`

function hostKeyRefusal({ hostKey }: SshError, atGateway: boolean, language: Language): SessionRefusal {
  if (hostKey?.fault) return new SessionRefusal(hostKey.fault)
  const values = { seen: hostKey?.fingerprint ?? '', trusted: hostKey?.trusted.join(', ') ?? '' }
  if (hostKey?.isMoved)
    return new SessionRefusal(
      translate(
        language,
        'THIS MACHINE WAS MOVED, AND SHOWS A HOST KEY THAT IS NOT KNOWN. No stored password or key was sent. Seen: {{seen}}. A system administrator must confirm the new key or the new address first.',
        values,
      ),
    )
  return new SessionRefusal(
    atGateway
      ? translate(
          language,
          'THE HOST KEY OF THE GATEWAY HAS CHANGED. Somebody may be in between, or it was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
          values,
        )
      : translate(
          language,
          'THE HOST KEY OF THIS MACHINE HAS CHANGED. Somebody may be in between, or the machine was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
          values,
        ),
  )
}

function readableNetworkError(error: SshError): string {
  const code = String((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  if (code === 'ECONNREFUSED') return 'The machine refused the connection: nothing listens on this port'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'There is no route to this machine'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of this machine cannot be resolved'
  if (/no matching/.test(error.message)) return 'The machine offers only outdated encryption'
  return 'The machine could not be reached'
}
