/** Access tokens of programs that people have connected as their agents begin so. */
export const AGENT_TOKEN_PREFIX = 'sallyport-agent-'

/**
 * The part of such a token that stays when it is renewed: what belongs to the sign-in, and not to one
 * token, is known by it. Undefined for all other credentials.
 */
export function agentFamily(token: string): string | undefined {
  if (!token.startsWith(AGENT_TOKEN_PREFIX)) return undefined
  return token.slice(AGENT_TOKEN_PREFIX.length).split('.')[0]
}
