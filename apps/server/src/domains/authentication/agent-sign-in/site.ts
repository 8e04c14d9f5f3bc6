import { AppError, notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/** The one thing that a connected program may do: use the tools of agents. */
export const AGENT_SCOPE = 'agents'
/** Where these tools are (gateway/agents). */
const RESOURCE_PATH = '/api/mcp'
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${RESOURCE_PATH}`

/** Whether people may connect programs: only where they may work by agents at all, at an address that is known. */
export function takesPrograms(kernel: Kernel): boolean {
  const settings = settingsOf(kernel)
  return settings.get('SECURITY_AGENTS') === 'everybody' && URL.canParse(settings.get('SITE_URL'))
}

/** Throws 404 where they may not, as if none of this were there. */
export function refuseWithoutPrograms(kernel: Kernel): void {
  if (!takesPrograms(kernel)) throw notFound()
}

/** The name of this server for programs (`iss`): where people open it. */
export const issuerOf = (kernel: Kernel): string => new URL(settingsOf(kernel).get('SITE_URL')).origin

/** What tokens are for (RFC 8707). */
export const resourceOf = (kernel: Kernel): string => `${issuerOf(kernel)}${RESOURCE_PATH}`

/** How a 401 tells a program where it can ask for a token (RFC 9728 §5.1). */
export function agentChallenge(kernel: Kernel, hasToken: boolean): string {
  const realm = 'Bearer realm="Sallyport"'
  const error = hasToken ? ', error="invalid_token"' : ''
  if (!takesPrograms(kernel)) return `${realm}${error}`
  return `${realm}${error}, scope="${AGENT_SCOPE}", resource_metadata="${issuerOf(kernel)}${RESOURCE_METADATA_PATH}"`
}

/** A refusal in the shape of OAuth (RFC 6749 §5.2), with the keys that all refusals here have. */
export function oauthRefusal(error: string, detail: string, status = 400): AppError {
  return new AppError(status, error, detail, { body: { error, error_description: detail, code: error, detail } })
}
