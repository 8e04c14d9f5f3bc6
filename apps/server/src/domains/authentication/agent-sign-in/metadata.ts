import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { AGENT_SCOPE, issuerOf, RESOURCE_METADATA_PATH, refuseWithoutPrograms, resourceOf } from './site.ts'
import { REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from './token-routes.ts'

/** The page of the console on which people answer. */
export const CONSENT_PAGE = '/ui/connect-agent'

const open = { access: ['anonymous'], withoutCaller: true } as const

/** By which a program that knows the address of the tools alone finds how it gets a token. */
export function registerMetadata(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: RESOURCE_METADATA_PATH,
    config: {
      ...open,
      summary: 'Agents: how to get a token (RFC 9728)',
      answers: {
        fields: plainFields({
          ...{ resource: 'url', authorization_servers: 'strings', scopes_supported: 'strings' },
          ...{ bearer_methods_supported: 'strings', resource_name: 'string' },
        }),
      },
    },
    handler: async () => {
      refuseWithoutPrograms(kernel)
      return {
        resource: resourceOf(kernel),
        authorization_servers: [issuerOf(kernel)],
        scopes_supported: [AGENT_SCOPE],
        bearer_methods_supported: ['header'],
        resource_name: 'Sallyport',
      }
    },
  })
  kernel.app.route({
    method: 'GET',
    url: '/.well-known/oauth-authorization-server',
    config: {
      ...open,
      summary: 'Agents: where to ask for a token (RFC 8414)',
      answers: {
        fields: plainFields({
          ...{ issuer: 'url', authorization_endpoint: 'url', token_endpoint: 'url', registration_endpoint: 'url' },
          ...{ revocation_endpoint: 'url', scopes_supported: 'strings', response_types_supported: 'strings' },
          ...{ response_modes_supported: 'strings', grant_types_supported: 'strings' },
          ...{ token_endpoint_auth_methods_supported: 'strings' },
          ...{ revocation_endpoint_auth_methods_supported: 'strings', code_challenge_methods_supported: 'strings' },
          authorization_response_iss_parameter_supported: 'boolean',
        }),
      },
    },
    handler: async () => {
      refuseWithoutPrograms(kernel)
      const issuer = issuerOf(kernel)
      return {
        issuer,
        authorization_endpoint: `${issuer}${CONSENT_PAGE}`,
        token_endpoint: `${issuer}${TOKEN_PATH}`,
        registration_endpoint: `${issuer}${REGISTER_PATH}`,
        revocation_endpoint: `${issuer}${REVOKE_PATH}`,
        scopes_supported: [AGENT_SCOPE],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      }
    },
  })
}
